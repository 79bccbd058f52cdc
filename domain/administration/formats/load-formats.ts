import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { compileSource } from '../../formats/mapping/compile-source.ts';
import type { Format } from '../../formats/mapping/format.ts';

/**
 * Formats by name. Stored ones cannot replace built-in ones, and are compiled on first use. A stored format that does
 * not compile (written by another version, for example) counts as missing.
 */
export class KnownFormats {
  /** Built-in ones, then the others. */
  readonly names: readonly string[];
  readonly #builtin: ReadonlyMap<string, Format>;
  readonly #stored: ReadonlyMap<string, string>;
  readonly #compiled = new Map<string, Format | undefined>();

  constructor(builtin: ReadonlyMap<string, Format>, stored: readonly StoredSource[]) {
    this.#builtin = builtin;
    this.#stored = new Map(stored.map(({ name, source }) => [name, source]));
    this.names = [...new Set([...builtin.keys(), ...this.#stored.keys()])];
  }

  get(name: string): Format | undefined {
    const source = this.#stored.get(name);
    if (source !== undefined && !this.#compiled.has(name)) {
      this.#compiled.set(name, compiledOrNone(source));
    }
    return this.#builtin.get(name) ?? this.#compiled.get(name);
  }

  /** The definition, as text. */
  sourceOf(name: string): string | undefined {
    const builtin = this.#builtin.get(name);
    return builtin === undefined ? this.#stored.get(name) : JSON.stringify(builtin.definition);
  }
}

function compiledOrNone(source: string): Format | undefined {
  try {
    return compileSource(source);
  } catch {
    return undefined;
  }
}

/** @param orgId leaves out those of other organizations. */
export async function loadFormats(
  db: Connection,
  builtin: ReadonlyMap<string, Format>,
  orgId?: number,
): Promise<KnownFormats> {
  return new KnownFormats(builtin, await storedSources(db, orgId));
}

export interface StoredDefinition {
  name: string;
  definition: unknown;
  /** The organization whose own it is; null for the installation's, which all may use. */
  orgId: number | null;
}

/** @param orgId leaves out those of other organizations. */
export async function storedDefinitions(db: Connection, orgId?: number): Promise<StoredDefinition[]> {
  const stored = await storedSources(db, orgId);
  return stored.map(({ name, source, orgId: owner }) => ({
    ...{ name, definition: JSON.parse(source), orgId: owner },
  }));
}

export interface StoredSource {
  name: string;
  source: string;
  /** As in {@link StoredDefinition}. */
  orgId: number | null;
}

/** @param orgId leaves out those of other organizations. */
export async function storedSources(db: Connection, orgId?: number): Promise<StoredSource[]> {
  const rows = await db.any(sql.type(rowsOf<{ name: string; source: string; org_id: number | null }>())`
    select name, source, org_id from formats
    where ${orgId ?? null}::integer is null or org_id is null or org_id = ${orgId ?? null}::integer
    order by name`);
  return rows.map(({ name, source, org_id: owner }) => ({ name, source, orgId: owner }));
}
