import { createHash, type Hash } from 'node:crypto';
import { JsonText, writeJson } from '../../../base/json/json-text.ts';
import type { Keyed } from '../by-id-or-key.ts';
import { newFields } from '../imports/difference.ts';
import type { Onlooker } from '../imports/import-rows.ts';
import type { FieldChange, RowChange } from '../imports/report.ts';
import type { ImportRow } from '../imports/row.ts';

export const KINDS = ['created', 'updated', 'unchanged'] as const;

export type Kind = (typeof KINDS)[number];

export interface RowDifference {
  line: number;
  /** Null for a key that is minted when it is applied. */
  external_key: string | null;
  name: string | null;
  fields: readonly FieldChange[];
}

export interface FileDifference {
  rows: number;
  counts: Record<Kind | 'faulty', number>;
  /** The first of each. */
  shown: Record<Kind, readonly RowDifference[]>;
}

/** Rows that are shown of each kind, and UTF-16 units of all values in them. */
const MOST_SHOWN = 100;
const MOST_TEXT = 400_000;
/** UTF-16 units of metadata that are shown of a value; more is cut. */
const LONGEST_VALUE = 2_000;

interface Shown {
  row: ImportRow;
  change: RowChange | null;
  fields: readonly FieldChange[];
}

/** Counts the outcomes of a file's rows, keeps the first of each kind, and digests all changes. */
export class DifferenceOfFile implements Onlooker {
  readonly #resource: Keyed;
  #kinds = new Map<number, Kind>();
  #shown: Record<Kind, Shown[]> = none();
  #text = 0;
  #digest: Hash = createHash('sha256');

  constructor(resource: Keyed) {
    this.#resource = resource;
  }

  begin(): void {
    this.#kinds = new Map();
    this.#shown = none();
    this.#text = 0;
    this.#digest = createHash('sha256');
  }

  row(row: ImportRow, change: RowChange | null): void {
    const kind = change === null ? 'unchanged' : change.action === 'create' ? 'created' : 'updated';
    this.#kinds.set(row.line, kind);
    // Its key, if it is minted, is not known yet, and need not be the same when the file is applied.
    this.#digest.update(
      `${row.line} ${kind} ${change?.external_key ?? ''} ${writeJson(change?.fields ?? [])}\n`,
    );
    if (this.#shown[kind].length < MOST_SHOWN && this.#text < MOST_TEXT) {
      const fields =
        kind === 'created' ? newFields(this.#resource, row.given) : (change?.fields.map(cut) ?? []);
      this.#shown[kind].push({ row, change, fields: fields.map(cut) });
      this.#text += writeJson(fields).length;
    }
  }

  /** A digest of every change, in the order of the file: the same file has the same effect on the same data. */
  digest(): Buffer {
    return this.#digest.copy().digest();
  }

  /** @param faulty lines; some seemed valid at first. */
  difference(faulty: ReadonlySet<number>): FileDifference {
    const counts = { created: 0, updated: 0, unchanged: 0, faulty: faulty.size };
    for (const [line, kind] of this.#kinds) {
      counts[kind] += faulty.has(line) ? 0 : 1;
    }
    const shown = (kind: Kind) =>
      this.#shown[kind].filter(({ row }) => !faulty.has(row.line)).map(differenceOf);
    return {
      rows: Object.values(counts).reduce((sum, count) => sum + count, 0),
      counts,
      shown: { created: shown('created'), updated: shown('updated'), unchanged: shown('unchanged') },
    };
  }
}

function none(): Record<Kind, Shown[]> {
  return { created: [], updated: [], unchanged: [] };
}

function differenceOf({ row: { line, given }, change, fields }: Shown): RowDifference {
  const external_key = change?.external_key ?? given.external_key ?? null;
  return { line, external_key, name: change?.name ?? given.name ?? null, fields };
}

function cut({ field, from, to }: FieldChange): FieldChange {
  return { field, from: cutValue(from), to: cutValue(to) };
}

function cutValue(value: FieldChange['to']): FieldChange['to'] {
  return value instanceof JsonText && value.text.length > LONGEST_VALUE
    ? `${value.text.slice(0, LONGEST_VALUE)}…`.toWellFormed()
    : value;
}
