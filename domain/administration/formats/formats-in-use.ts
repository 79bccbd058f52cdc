import { eachInTurns } from '../../../base/each-in-turns.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import type { DescribedSource } from '../../formats/describe-sources.ts';
import { compileShaped, type Format } from '../../formats/mapping/format.ts';
import { LIVE_READERS } from '../live-readers.ts';

export interface FormatsInUseOptions {
  builtin: ReadonlyMap<string, Format>;
  /** `describeSources` in a worker thread: checking a format takes much longer than compiling a valid one. */
  check(sources: readonly string[]): Promise<readonly DescribedSource[]>;
  /** Called once for each unusable stored format, for example one of another version of the language. */
  onFault(error: unknown): void;
}

/** The formats that live readers have, compiled. Built-in ones cannot be replaced by stored ones. */
export class FormatsInUse {
  readonly #options: FormatsInUseOptions;
  #stored: ReadonlyMap<string, Known> = new Map();

  constructor(options: FormatsInUseOptions) {
    this.#options = options;
  }

  get(name: string): Format | undefined {
    return this.#options.builtin.get(name) ?? this.#stored.get(name)?.format ?? undefined;
  }

  /** Whether {@link load} found it, also if it cannot be used. */
  knows(name: string): boolean {
    return this.#options.builtin.has(name) || this.#stored.has(name);
  }

  /** Reads and compiles changed formats. */
  async load(db: Connection): Promise<void> {
    const rows = await db.any(sql.type(rowsOf<{ name: string; version: string }>())`
      select name, xmin::text as version from formats
      where name in (select reader.format from ${LIVE_READERS})`);
    const used = rows.filter(({ name }) => !this.#options.builtin.has(name));
    const changed = used.filter(({ name, version }) => this.#stored.get(name)?.version !== version);
    const compiled = await this.#compile(
      db,
      changed.map(({ name }) => name),
    );
    this.#stored = new Map(
      used.flatMap(({ name }) => {
        const known = compiled.get(name) ?? this.#stored.get(name);
        return known === undefined ? [] : [[name, known] as const];
      }),
    );
  }

  async #compile(db: Connection, names: readonly string[]): Promise<ReadonlyMap<string, Known>> {
    if (names.length === 0) {
      return new Map();
    }
    const rows = await db.any(sql.type(rowsOf<{ name: string; version: string; source: string }>())`
      select name, xmin::text as version, source::text as source from formats
      where name = any (${sql.array(names, 'text')})`);
    const described = await this.#options.check(rows.map(({ source }) => source));
    const known = await eachInTurns(rows.entries(), ([at, { name, version, source }]) => {
      const fault = described[at]?.fault ?? null;
      if (fault !== null) {
        this.#options.onFault(new Error(`Format ${name} cannot be used: ${fault}`));
      }
      return [name, { version, format: fault === null ? compileShaped(JSON.parse(source)) : null }] as const;
    });
    return new Map(known);
  }
}

interface Known {
  /** The transaction that wrote the row. */
  version: string;
  /** Null if it cannot be used. */
  format: Format | null;
}
