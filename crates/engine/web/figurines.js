// @ts-check
// Moves with pictures of the pieces instead of letters: ♘f3 for Nf3.

/** @type {{ [letter: string]: string }} */
const FIGURINES = { K: "♔", Q: "♕", R: "♖", B: "♗", N: "♘" };

let isOn = false;

/** @param {boolean} on */
export function useFigurines(on) {
  isOn = on;
}

/**
 * A SAN move as the reader wants to see it.
 * @param {string} san
 */
export const sanText = (san) => (isOn ? san.replace(/[KQRBN]/g, (letter) => FIGURINES[letter]) : san);
