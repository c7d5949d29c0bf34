// @ts-check
// How the worker hears the page while it searches.

/**
 * `ring`: it looks into shared memory. `jspi`: the search is suspended for a turn of the event loop. `slices`: the
 * search ends, and starts again later.
 * @typedef {"ring" | "jspi" | "slices"} Hearing
 */

/** @type {Hearing[]} */
const ALL = ["ring", "jspi", "slices"];

/** The way that the address asks for, as in `?hearing=jspi`. Tests use it. */
const wanted = ALL.find((way) => way === new URLSearchParams(location.search).get("hearing"));

/** @param {Hearing} way */
function isPossible(way) {
  if (way === "ring") return globalThis.crossOriginIsolated === true;
  return way === "slices" || (typeof WebAssembly === "object" && "Suspending" in WebAssembly);
}

/**
 * The best way that this page has.
 * @returns {Hearing}
 */
export function bestHearing() {
  if (wanted && isPossible(wanted)) return wanted;
  return ALL.find(isPossible) ?? "slices";
}

/**
 * Whether it is worth loading the page again to make it cross-origin isolated: the ring is asked for, or the only
 * alternative is `slices`.
 * @param {Hearing} hearing
 */
export const needsIsolation = (hearing) => !isPossible("ring") && (wanted ? wanted === "ring" : hearing === "slices");
