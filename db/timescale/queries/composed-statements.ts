import type pg from 'pg';

const PREFIX = 'composed-';

/** Texts with a name, more than all sensible combinations of filters. Beyond that the oldest loses its name. */
const MOST_NAMES = 500;

/**
 * Composed statements prepared per connection. Each takes 100 to 300 kB of its backend, and combinations of `sort`
 * alone are hundreds.
 */
const MOST_PREPARED = 50;

const names = new Map<string, string>();
let named = 0;

/**
 * A deterministic name for a composed text, so that it is planned once per connection: planning takes six
 * times as long as finding a row by its key.
 */
export function nameOf(text: string): string {
  const known = names.get(text);
  if (known !== undefined) {
    return known;
  }
  const [oldest] = names.keys();
  if (names.size === MOST_NAMES && oldest !== undefined) {
    names.delete(oldest);
  }
  named += 1;
  const name = `${PREFIX}${named}`;
  names.set(text, name);
  return name;
}

/** Internal bookkeeping of `pg`, whose version is pinned. */
interface Prepared {
  parsedStatements: Record<string, string>;
}

export class ComposedStatements {
  static readonly #kept = new WeakMap<pg.Connection, ComposedStatements>();

  readonly #names = new Set<string>();
  readonly #prepared: Prepared['parsedStatements'];

  private constructor(connection: pg.Connection) {
    this.#prepared = (connection as unknown as Prepared).parsedStatements;
  }

  static on(connection: pg.Connection): ComposedStatements {
    const kept = ComposedStatements.#kept.get(connection) ?? new ComposedStatements(connection);
    ComposedStatements.#kept.set(connection, kept);
    return kept;
  }

  /** Marks a statement as used. @returns names of statements to close instead. */
  use(name: string | undefined): readonly string[] {
    if (name === undefined || !name.startsWith(PREFIX)) {
      return NONE;
    }
    this.#names.delete(name);
    this.#names.add(name);
    if (this.#names.size <= MOST_PREPARED) {
      return NONE;
    }
    // Not one still unanswered: its answer would mark it as prepared again.
    const closing = this.#names.values().find((each) => this.#prepared[each] !== undefined && each !== name);
    if (closing === undefined) {
      return NONE;
    }
    this.#names.delete(closing);
    delete this.#prepared[closing];
    return [closing];
  }
}

const NONE: readonly string[] = [];
