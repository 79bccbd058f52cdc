import type pg from 'pg';

const PREFIX = 'composed-';

/** Texts that have a name: more than all sensible combinations of filters. Beyond them the oldest loses its name. */
const MOST_NAMES = 500;

/**
 * Composed statements that a connection keeps prepared. Each takes 100 to 300 kB of its process, and combinations of
 * `sort` alone are hundreds.
 */
const MOST_PREPARED = 50;

const names = new Map<string, string>();
let named = 0;

/**
 * The name to prepare a composed text under, always the same for the same text, so that it is planned once for a
 * connection: that takes six times as long as finding a row by its key.
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

/** What `pg` keeps of a connection's statements: those that the server has prepared. Its version is pinned. */
interface Prepared {
  parsedStatements: Record<string, string>;
}

/** The composed statements that a connection has prepared, those used last at the end. */
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

  /** Notes that a statement is about to be used. @returns the names of those to close for its sake. */
  use(name: string | undefined): readonly string[] {
    if (name === undefined || !name.startsWith(PREFIX)) {
      return NONE;
    }
    this.#names.delete(name);
    this.#names.add(name);
    if (this.#names.size <= MOST_PREPARED) {
      return NONE;
    }
    // One that the server has not answered for yet would be taken for prepared later.
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
