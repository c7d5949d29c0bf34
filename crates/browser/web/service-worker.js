// @ts-check
// Keeps the files of the page, so that it works offline. `../build-static` puts FILES and ENGINE_FILE in front.
//
// Files are kept by the hashes of their contents. A new version shares the cache with the old one, fetches only what
// has changed, and removes the rest when it takes over.

/** The type checker does not know in which kind of worker this runs. */
const worker = /** @type {ServiceWorkerGlobalScope} */ (/** @type {unknown} */ (self));
const scope = new URL(worker.registration.scope);
/** Several folders of one host may have the page. */
const CACHE = `ferz ${scope.pathname}`;

/** With these the page is cross-origin isolated and may share memory with its worker. */
const ISOLATION = {
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-embedder-policy": "require-corp",
  "cross-origin-resource-policy": "same-origin",
};

/** The browser runs one build of the engine and does not need the other. */
const kept = Object.keys(FILES).filter((path) => !path.endsWith(".wasm") || path === ENGINE_FILE);

/** @param {string} path */
const keyOf = (path) => new URL(`${path}?${FILES[path]}`, scope).href;

worker.addEventListener("install", (event) => event.waitUntil(fill()));
worker.addEventListener("activate", (event) => event.waitUntil(takeOver()));
worker.addEventListener("message", ({ data }) => {
  if (data === "activate") worker.skipWaiting();
});
worker.addEventListener("fetch", (event) => {
  const url = new URL(event.request.url);
  if (event.request.method !== "GET" || url.origin !== scope.origin) return;
  if (!url.pathname.startsWith(scope.pathname)) return;
  const path = url.pathname.slice(scope.pathname.length) || "index.html";
  if (kept.includes(path)) event.respondWith(answer(path, event.request));
});

async function fill() {
  const cache = await caches.open(CACHE);
  await Promise.all(kept.map(async (path) => (await cache.match(keyOf(path))) ?? download(cache, path)));
}

async function takeOver() {
  const cache = await caches.open(CACHE);
  const keys = new Set(kept.map(keyOf));
  const old = (await cache.keys()).filter(({ url }) => !keys.has(url));
  await Promise.all(old.map((request) => cache.delete(request)));
  await worker.clients.claim();
}

/**
 * Fetches a file of this version and keeps it.
 * @param {Cache} cache
 * @param {string} path
 */
async function download(cache, path) {
  const response = await fetch(new URL(path, scope), { cache: "no-cache" });
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  const bytes = await response.arrayBuffer();
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  const hash = Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
  if (!hash.startsWith(FILES[path])) throw new Error(`${path} belongs to a different version.`);
  const headers = new Headers(ISOLATION);
  headers.set("content-type", response.headers.get("content-type") ?? "application/octet-stream");
  await cache.put(keyOf(path), new Response(bytes, { headers }));
}

/**
 * @param {string} path
 * @param {Request} request
 */
async function answer(path, request) {
  const cache = await caches.open(CACHE);
  // The browser may have emptied the cache, and the host may have a new version already.
  return (await cache.match(keyOf(path))) ?? fetch(request);
}
