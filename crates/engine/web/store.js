// What the page knows, in one place. Views read it and are told when a part of it changes; they keep nothing of their own
// that could disagree with it.

export class Store {
  constructor(values) {
    this.values = values;
    this.listeners = new Map();
  }

  get(name) {
    return this.values[name];
  }

  /** Changes some values, then tells everyone who listens to one of them, once. */
  set(changes) {
    const changed = Object.keys(changes).filter((name) => this.values[name] !== changes[name]);
    Object.assign(this.values, changes);
    const interested = new Set(changed.flatMap((name) => this.listeners.get(name) ?? []));
    for (const listener of interested) listener();
  }

  /** Calls `listener` now and whenever one of these values changes. */
  on(names, listener) {
    for (const name of names) this.listeners.set(name, [...(this.listeners.get(name) ?? []), listener]);
    listener();
  }
}
