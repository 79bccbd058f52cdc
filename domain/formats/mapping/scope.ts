/** Objects around an item, from the nearest to the document. */
export interface Around {
  readonly node: unknown;
  readonly outer: Around | null;
}

/** Keys and indexes of an item, from the last `*` or `{}` of `each` to the first. */
export type Keys = { readonly key: string | number; readonly outer: Keys } | null;

/** Values that a rule's candidates and conditions can see. One per message, moved from item to item. */
export class Scope {
  root: unknown = undefined;
  /** The nearest object around the item; the document if there is none. */
  parent: unknown = undefined;
  grandparent: unknown = undefined;
  item: unknown = undefined;
  keys: Keys = null;
  /**
   * Last result of each `where` with its array, by the candidate's number. Searching an array once per item
   * would make the work quadratic in the payload.
   */
  readonly searchedIn: unknown[] = [];
  readonly found: unknown[] = [];
  /** Work that is left for the message; below zero, it is given up after the item. */
  workLeft: number;

  readonly #topic: string;
  #levels: readonly string[] | undefined;

  /** @param work in characters transformed; looking a value up counts as `LOOK_UP`. */
  constructor(topic: string, work: number) {
    this.#topic = topic;
    this.workLeft = work;
  }

  /** Sees a document. */
  enter(document: unknown): void {
    this.root = document;
    this.parent = document;
    this.grandparent = document;
    this.item = document;
    this.keys = null;
  }

  /** Sees an item of the document. */
  see(item: unknown, around: Around, keys: Keys): void {
    this.parent = around.node;
    this.grandparent = around.outer === null ? this.root : around.outer.node;
    this.item = item;
    this.keys = keys;
  }

  /** Split on first use, since most formats ignore the topic. */
  get levels(): readonly string[] {
    this.#levels ??= this.#topic.split('/');
    return this.#levels;
  }
}
