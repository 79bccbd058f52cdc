/**
 * Reads that are the same, done together: those asked for while one is under way share the next, so that a result is
 * never older than its request, and however many ask costs two.
 */
export class SharedReads {
  readonly #underWay = new Map<string, { settled: Promise<void>; next: Promise<unknown> | null }>();

  /** @param what the same for the same read, whose result has this type. */
  read<Result>(what: string, read: () => Promise<Result>): Promise<Result> {
    const current = this.#underWay.get(what);
    if (current === undefined) {
      return this.#begin(what, read);
    }
    current.next ??= current.settled.then(() => this.#begin(what, read));
    return current.next as Promise<Result>;
  }

  #begin<Result>(what: string, read: () => Promise<Result>): Promise<Result> {
    const result = read();
    const current = { settled: result.then(nothing, nothing), next: null };
    this.#underWay.set(what, current);
    current.settled.then(() => {
      if (current.next === null) {
        this.#underWay.delete(what);
      }
    });
    return result;
  }
}

function nothing(): void {}
