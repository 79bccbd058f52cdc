import type { TestDatabase } from '../support/database.ts';

/** What a request that created an asset, or was to, was answered, and when. */
interface Answer {
  key: string;
  /** `performance.now()`. */
  at: number;
  outcome: 'created' | 'unavailable' | 'unknown' | 'wrong';
}

export interface WriteFaults {
  /** Acknowledged and not there. */
  lost: number;
  /** Answered by an error that says that nothing was changed, and there. */
  createdAfterAll: number;
  doubled: number;
  /** Answers that are none of these. */
  wrong: number;
}

/** Integrators who create one asset after the other by the API, whatever they are answered. */
export class AssetWriter {
  readonly #urls: readonly string[];
  readonly #key: string;
  readonly #answers: Answer[] = [];
  #isStopped = false;
  readonly #writing: Promise<unknown>;
  #next = 0;

  constructor(urls: readonly string[], key: string) {
    this.#urls = urls;
    this.#key = key;
    this.#writing = Promise.all(Array.from({ length: AT_ONCE }, () => this.#write()));
  }

  get answers(): readonly Answer[] {
    return this.#answers;
  }

  /** Milliseconds from the first to the last answer since `since` that was an error; 0 if there was none. */
  failedFor(since: number): number {
    const errors = this.#answers.filter(({ at, outcome }) => at >= since && outcome !== 'created');
    return (errors.at(-1)?.at ?? 0) - (errors[0]?.at ?? 0);
  }

  errorsSince(since: number): number {
    return this.#answers.filter(({ at, outcome }) => at >= since && outcome !== 'created').length;
  }

  /** The longest time, in milliseconds, between two creations since `since`. */
  stoodStill(since: number): number {
    const created = this.#answers.filter(({ at, outcome }) => at >= since && outcome === 'created');
    const gaps = created.map(({ at }, index) => at - (created[index - 1]?.at ?? since));
    return Math.max(0, ...gaps);
  }

  createdSince(since: number): number {
    return this.#answers.filter(({ at, outcome }) => at >= since && outcome === 'created').length;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#writing;
  }

  async findFaults(database: TestDatabase): Promise<WriteFaults> {
    const rows = await database.rows<{ external_key: string; count: number }>(
      `select external_key, count(*)::int4 as count from assets where external_key like 'WRITTEN-%' group by 1`,
    );
    const stored = new Map(rows.map(({ external_key, count }) => [external_key, count]));
    const count = (outcome: Answer['outcome'], isFault: (key: string) => boolean) =>
      this.#answers.filter((answer) => answer.outcome === outcome && isFault(answer.key)).length;
    return {
      lost: count('created', (key) => !stored.has(key)),
      createdAfterAll: count('unavailable', (key) => stored.has(key)),
      doubled: rows.filter((row) => row.count > 1).length,
      wrong: count('wrong', () => true),
    };
  }

  async #write(): Promise<void> {
    while (!this.#isStopped) {
      const number = this.#next++;
      const key = `WRITTEN-${number}`;
      const outcome = await this.#create(String(this.#urls[number % this.#urls.length]), key);
      this.#answers.push({ key, at: performance.now(), outcome });
    }
  }

  async #create(url: string, key: string): Promise<Answer['outcome']> {
    const answer = await fetch(`${url}/api/v1/assets`, {
      method: 'POST',
      headers: { authorization: `Bearer ${this.#key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: key, external_key: key }),
    });
    if (answer.status === 201) {
      await answer.body?.cancel();
      return 'created';
    }
    const { error } = (await answer.json()) as { error?: { type?: string } };
    switch (error?.type) {
      case 'unavailable':
      case 'query_timeout':
        return 'unavailable';
      case 'internal_error':
        return 'unknown';
      default:
        console.error(answer.status, JSON.stringify(error));
        return 'wrong';
    }
  }
}

const AT_ONCE = 4;
