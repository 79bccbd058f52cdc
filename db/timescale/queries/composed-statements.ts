import type pg from 'pg';
import { type RowQuery, toConfig } from './sql.ts';

const MOST_SHAPES = 500;

interface Composed {
  query: RowQuery<unknown>;
  parameters: readonly ({ name: string } | { value: RowQuery<unknown>['values'][number] })[];
}

/**
 * Composes a statement once per shape and set of values that are there. Composing a list took 35 us of its 570, and a
 * fifth of Node.js's time for a look-up by key.
 *
 * The key of a composed statement is everything that `compose` is given, so nothing it decides by can be left out. It is
 * named once, apart from any request, and sees no other values.
 */
export class ComposedOnce<Given extends object, Row, Shape = void> {
  readonly #known = new Map<string, Composed>();
  readonly #compose: (marks: Given, shape: Shape) => RowQuery<Row>;

  /** @param compose gets placeholders instead of values, to put into the statement and nothing else. */
  constructor(compose: (marks: Given, shape: Shape) => RowQuery<Row>) {
    this.#compose = compose;
  }

  /**
   * @param given values by name; undefined ones are left out of the statement.
   * @param shape what else the statement depends on, as JSON can say it.
   */
  statement(given: Given, shape: Shape): RowQuery<Row> {
    const key = keyOf(given, shape);
    const { query, parameters } = this.#known.get(key) ?? this.#keep(key, given, shape);
    const values = parameters.map((parameter) =>
      'name' in parameter ? given[parameter.name as keyof Given] : parameter.value,
    );
    return { ...query, values } as RowQuery<Row>;
  }

  #keep(key: string, given: Given, shape: Shape): Composed {
    const query = this.#compose(marksFor(given), shape);
    const parameters = query.values.map((value) => {
      const mark: unknown = Array.isArray(value) ? value[0] : value;
      return typeof mark === 'string' && mark.startsWith(MARK)
        ? { name: mark.slice(MARK.length) }
        : { value };
    });
    const composed = { query: { ...query, sql: toConfig(query).text } as RowQuery<unknown>, parameters };
    const [oldest] = this.#known.keys();
    if (this.#known.size === MOST_SHAPES && oldest !== undefined) {
      this.#known.delete(oldest);
    }
    this.#known.set(key, composed);
    return composed;
  }
}

function keyOf(given: object, shape: unknown): string {
  const names = Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  return JSON.stringify([shape, names]);
}

/** Prefix of a placeholder's name; nothing else in a statement can begin with it. */
const MARK = '\u0000';

function marksFor<Given extends object>(given: Given): Given {
  const marks = Object.entries(given).map(([name, value]) => {
    const mark = value === undefined ? undefined : MARK + name;
    return [name, Array.isArray(value) ? [mark] : mark];
  });
  return Object.fromEntries(marks) as Given;
}

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
