import pg from 'pg';
import { messageOf } from '../../../base/errors.ts';
import { isReadOnly } from './lost-database.ts';

/** Longer than any attempt to commit, plus the pause before the next. */
const REMEMBERED = 70_000;

/**
 * Whether the last change that was tried failed for a reason of the database's: a full disk, a used-up sequence, a
 * missing privilege. Only changes can tell: a small one, made to find out, still fits where the next one does not.
 */
export class WriteOutage {
  #last: { error: unknown; at: number } | null = null;
  readonly #what: string;

  /** @param what describes the consequence for callers. */
  constructor(what: string) {
    this.#what = what;
  }

  failed(error: unknown): void {
    this.#last = { error, at: performance.now() };
  }

  committed(): void {
    this.#last = null;
  }

  /** Notes how a change of a caller's ends. Its own mistakes do not count, nor does a lost connection. */
  async during<Result>(change: Promise<Result>): Promise<Result> {
    try {
      const result = await change;
      this.committed();
      return result;
    } catch (error) {
      if (isReadOnly(error) || lacksResources(error)) {
        this.failed(error);
      }
      throw error;
    }
  }

  /** @throws the reason if the last change failed. */
  requireNone(): void {
    if (this.#last !== null && performance.now() - this.#last.at < REMEMBERED) {
      throw new Error(`${this.#what}: ${messageOf(this.#last.error)}`);
    }
  }
}

/** 53 insufficient resources (a full disk), 58 system error (of its files); but not a limit of one statement's, 53400. */
function lacksResources(error: unknown): boolean {
  const code = error instanceof pg.DatabaseError ? (error.code ?? '') : '';
  return ['53', '58'].includes(code.slice(0, 2)) && code !== '53400';
}
