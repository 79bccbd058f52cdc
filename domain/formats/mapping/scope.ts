/** What candidates and conditions of a rule can see. One per message, moved from item to item. */
export class Scope {
  /** The decoded document. */
  root: unknown = undefined;
  /** The nearest object around the item; the document if there is none. */
  parent: unknown = undefined;
  item: unknown = undefined;
  /**
   * Last result of each `where`, with its array, by the candidate's number. An array of the document is searched once
   * and not per item, or the work would be quadratic in the payload.
   */
  readonly searchedIn: unknown[] = [];
  readonly found: unknown[] = [];

  readonly #topic: string;
  #levels: readonly string[] | undefined;

  constructor(topic: string) {
    this.#topic = topic;
  }

  /** The levels of the topic; split at the first use, since most formats never look. */
  get levels(): readonly string[] {
    this.#levels ??= this.#topic.split('/');
    return this.#levels;
  }
}
