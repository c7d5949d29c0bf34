// @ts-check
// Arrows and circles over the pieces. One unit is a hundredth of a square.

import { svg } from "./dom.js";
import { place } from "./squares.js";

/**
 * An arrow between two squares, or a circle if both are the same.
 * @typedef {object} Shape
 * @property {number} from
 * @property {number} to
 * @property {string} kind The CSS class.
 * @property {number} [width]
 * @property {string} [label]
 */

/** @typedef {{ group: SVGGElement, text: string, shapes: Shape[] }} Layer */

/** The length up to which a badge would hide its arrow: one square, straight or diagonal. */
const SHORT = 150;

/**
 * The outline of an arrow along the x axis. Shaft and head are one polygon, because overlaps would look darker.
 * @param {number} length
 * @param {number} width
 */
function outline(length, width) {
  const head = Math.min(34, 0.28 * length) * (0.7 + width / 26);
  // An arrow to the next square needs all the room there is for a shaft.
  const [start, tip] = length < SHORT ? [4, length - 4] : [26, length - 12];
  const neck = Math.max(tip - head, start);
  const half = width / 2;
  return [
    [start, half],
    [neck, half],
    [neck, 1.5 * half + 12],
    [tip, 0],
    [neck, -1.5 * half - 12],
    [neck, -half],
    [start, -half],
  ];
}

/** The drawings over a board, in named layers that are drawn independently. */
export class Overlay {
  constructor() {
    this.element = svg("svg", { class: "overlay", viewBox: "0 0 800 800", "aria-hidden": "true" });
    this.flipped = false;
    /** @type {Map<string, Layer>} */
    this.layers = new Map();
  }

  /**
   * Replaces the shapes of a layer.
   * @param {string} layer
   * @param {Shape[]} shapes
   */
  draw(layer, shapes) {
    let entry = this.layers.get(layer);
    if (!entry) {
      entry = { group: svg("g", { class: `layer-${layer}` }), text: "", shapes: [] };
      this.layers.set(layer, entry);
      this.element.append(entry.group);
    }
    // The engine sends the same lines ten times a second; unchanged shapes are not drawn again.
    const text = JSON.stringify([this.flipped, shapes]);
    if (entry.text === text) return;
    entry.text = text;
    entry.shapes = shapes;
    // Badges lie over all arrows.
    const badges = shapes.flatMap((shape) => this.badge(shape) ?? []);
    entry.group.replaceChildren(...shapes.map((shape) => this.shape(shape)), ...badges);
  }

  /** @param {boolean} flipped */
  flip(flipped) {
    this.flipped = flipped;
    for (const [layer, { shapes }] of this.layers) this.draw(layer, shapes);
  }

  /** @param {number} square */
  center(square) {
    const [column, row] = place(square, this.flipped);
    return [100 * column + 50, 100 * row + 50];
  }

  /** @param {Shape} shape */
  shape({ from, to, kind, width = 16 }) {
    const [x, y] = this.center(from);
    if (from === to) return svg("circle", { cx: x, cy: y, r: 44, class: `ring ${kind}` });
    const [toX, toY] = this.center(to);
    const angle = (Math.atan2(toY - y, toX - x) * 180) / Math.PI;
    const points = outline(Math.hypot(toX - x, toY - y), width).map((point) =>
      point.map((n) => n.toFixed(1)).join(","),
    );
    return svg("polygon", {
      points: points.join(" "),
      transform: `translate(${x} ${y}) rotate(${angle.toFixed(2)})`,
      class: `arrow ${kind}`,
    });
  }

  /**
   * The number of the line, so that colour and width are not the only signs of rank.
   * @param {Shape} shape
   */
  badge({ from, to, kind, label }) {
    if (!label || from === to) return null;
    const [x, y] = this.center(from);
    const [toX, toY] = this.center(to);
    const [right, down] = [toX - x, toY - y];
    const length = Math.hypot(right, down);
    // On a long arrow it stands on the shaft, on a short one beside it.
    const [along, aside] = length < SHORT ? [0.5, 30 / length] : [0.62, 0];
    const [atX, atY] = [x + along * right - aside * down, y + along * down + aside * right];
    const badge = svg("g", { class: `badge ${kind}` }, svg("circle", { cx: atX, cy: atY, r: 15 }));
    badge.append(svg("text", { x: atX, y: atY + 7 }, label));
    return badge;
  }
}
