/**
 * Reads the answer to `question` in an organization. It is named once, apart from any request, so that whatever it
 * decides by is in the question.
 */
export type Ask<Through extends Within, Question extends object, Result> = (
  through: Through,
  question: Question,
) => Promise<Result>;

/** The connection that a read goes through; it affects the answer only by whose connection it is. */
interface Within {
  readonly orgId: number;
}

/** Equal only for equal questions. No caller builds a key: one that forgot a part would get others' answers. */
export class KeysOfReads {
  readonly #numbers = new WeakMap<object, number>();
  #last = 0;

  of<Through extends Within, Question extends object>(
    ask: Ask<Through, Question, unknown>,
    { orgId }: Through,
    question: Question,
  ): string {
    const number = this.#numbers.get(ask) ?? ++this.#last;
    this.#numbers.set(ask, number);
    return JSON.stringify([number, orgId, question]);
  }
}

/**
 * Joins equal reads: those requested while one runs share the next. So a result is never older than its request, and
 * any number of requests costs two reads.
 */
export class SharedReads {
  readonly #underWay = new Map<string, { settled: Promise<void>; next: Promise<unknown> | null }>();
  readonly #keys = new KeysOfReads();

  read<Through extends Within, Question extends object, Result>(
    ask: Ask<Through, Question, Result>,
    through: Through,
    question: Question,
  ): Promise<Result> {
    const key = this.#keys.of(ask, through, question);
    const begin = () => this.#begin(key, ask(through, question));
    const current = this.#underWay.get(key);
    if (current === undefined) {
      return begin();
    }
    current.next ??= current.settled.then(begin);
    return current.next as Promise<Result>;
  }

  #begin<Result>(key: string, result: Promise<Result>): Promise<Result> {
    const current = { settled: result.then(nothing, nothing), next: null };
    this.#underWay.set(key, current);
    current.settled.then(() => {
      if (current.next === null) {
        this.#underWay.delete(key);
      }
    });
    return result;
  }
}

function nothing(): void {}
