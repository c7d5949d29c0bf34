// @ts-check
// The state of the page in one place. Views read it and are notified of changes; they keep no copy that could disagree
// with it.

/** @template {object} Values */
export class Store {
  /** @param {Values} values */
  constructor(values) {
    this.values = values;
    /** @type {Map<keyof Values, (() => void)[]>} */
    this.listeners = new Map();
  }

  /**
   * @template {keyof Values} Name
   * @param {Name} name
   * @returns {Values[Name]}
   */
  get(name) {
    return this.values[name];
  }

  /**
   * Changes some values, then calls each listener of a changed value once.
   * @param {Partial<Values>} changes
   */
  set(changes) {
    const names = /** @type {(keyof Values)[]} */ (Object.keys(changes));
    const changed = names.filter((name) => this.values[name] !== changes[name]);
    Object.assign(this.values, changes);
    const interested = new Set(changed.flatMap((name) => this.listeners.get(name) ?? []));
    for (const listener of interested) listener();
  }

  /**
   * Calls `listener` now and whenever one of these values changes.
   * @param {(keyof Values)[]} names
   * @param {() => void} listener
   */
  on(names, listener) {
    for (const name of names) this.listeners.set(name, [...(this.listeners.get(name) ?? []), listener]);
    listener();
  }
}
