import type { Json } from '../../../base/json/exact-json.ts';
import { JsonText } from '../../../base/json/json-text.ts';

export interface ImportReport {
  dry_run: boolean;
  rows: number;
  created: number;
  updated: number;
  unchanged: number;
  changes: RowChange[];
  changes_left_out: number;
  /** Given tags that their row has already, or is given, in another spelling; only if there are some. */
  respelled?: RespelledTag[];
  respelled_left_out?: number;
}

/** A tag that is not attached, because the row has the same tag in another spelling, `as`. */
export interface RespelledTag {
  line: number;
  tag: string;
  as: string;
}

export interface RowChange {
  line: number;
  action: 'create' | 'update';
  /** Null for a key that a dry run would mint. */
  external_key: string | null;
  name: string;
  fields: FieldChange[];
}

export interface FieldChange {
  field: string;
  from: Json | JsonText;
  to: Json | JsonText;
}

export function emptyReport(isDryRun: boolean): ImportReport {
  return {
    dry_run: isDryRun,
    rows: 0,
    created: 0,
    updated: 0,
    unchanged: 0,
    changes: [],
    changes_left_out: 0,
  };
}

/** Counts a row; `change` is null if nothing changes. @returns whether the report lists it. */
export function countRow(report: ImportReport, change: RowChange | null): boolean {
  report.rows += 1;
  if (change === null) {
    report.unchanged += 1;
    return false;
  }
  report[change.action === 'create' ? 'created' : 'updated'] += 1;
  if (
    report.changes.length < MOST_LISTED &&
    metadataIn(report.changes) + metadataIn([change]) <= MOST_METADATA
  ) {
    report.changes.push(change);
    return true;
  }
  report.changes_left_out += 1;
  return false;
}

export function noteRespelled(report: ImportReport, tags: readonly RespelledTag[]): void {
  if (tags.length === 0) {
    return;
  }
  const listed = report.respelled ?? [];
  const room = MOST_LISTED - listed.length;
  report.respelled = [...listed, ...tags.slice(0, room)];
  if (tags.length > room) {
    report.respelled_left_out = (report.respelled_left_out ?? 0) + tags.length - room;
  }
}

/** Rows whose change is listed in full, and UTF-16 units of metadata in them. */
const MOST_LISTED = 1_000;
const MOST_METADATA = 1_048_576;

function metadataIn(changes: readonly RowChange[]): number {
  const values = changes.flatMap(({ fields }) => fields.flatMap(({ from, to }) => [from, to]));
  return values.reduce<number>((sum, value) => sum + (value instanceof JsonText ? value.text.length : 0), 0);
}
