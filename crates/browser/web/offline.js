// @ts-check
// The service worker: the page works offline and gets new versions in the background.

import { needsIsolation } from "./hearing.js";
import { showOffer } from "./notices.js";

/** Whether the files in the cache are those of a newer version. */
let outdated = false;
export const isOutdated = () => outdated;

/** Whether the reader has done something on this page. */
let isTouched = false;
for (const name of ["pointerdown", "keydown", "paste", "drop"]) {
  addEventListener(name, () => (isTouched = true), { capture: true });
}

/**
 * Loads the page again. After a `reload` that makes the page cross-origin isolated, Chromium keeps the old document and
 * shows it in its old state at the next reload.
 */
export const startAgain = () => location.replace(location.pathname + location.search);

/**
 * Starts the service worker. Browsers have none in insecure contexts; then the page needs its server.
 * @param {import("./hearing.js").Hearing} hearing
 */
export async function keepOffline(hearing) {
  const { serviceWorker } = navigator;
  if (!serviceWorker) return;
  let isFirst = !serviceWorker.controller;
  let isUpdating = false;
  const offer = () =>
    showOffer("A new version is ready. Your game is kept.", "Use it", () => {
      isUpdating = true;
      if (outdated) startAgain();
      else registration.waiting?.postMessage("activate");
    });

  serviceWorker.addEventListener("controllerchange", () => {
    if (isFirst) {
      // The cached files have the headers that make the page cross-origin isolated.
      if (needsIsolation(hearing) && !isTouched) startAgain();
      isFirst = false;
      return;
    }
    outdated = true;
    if (isUpdating) startAgain();
    // The reader chose the new version in a different tab.
    else offer();
  });

  const url = new URL("service-worker.js", import.meta.url);
  /** @type {ServiceWorkerRegistration} */
  let registration;
  try {
    registration = await serviceWorker.register(url, { updateViaCache: "none" });
  } catch (error) {
    // Private windows may forbid it. The page works, but not offline.
    console.warn(error);
    return;
  }
  const watch = (/** @type {ServiceWorker | null} */ worker) =>
    worker?.addEventListener("statechange", () => worker.state === "installed" && !isFirst && offer());
  if (registration.waiting && !isFirst) offer();
  watch(registration.installing);
  registration.addEventListener("updatefound", () => watch(registration.installing));
}
