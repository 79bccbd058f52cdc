import { JsonText } from '../../../base/json/json-text.ts';
import { wireTime } from '../../../base/timestamps.ts';
import { type FragmentSqlToken, sql } from '../../../db/timescale/queries/sql.ts';
import type { ChangeEntry, Fields } from '../../changes/entry.ts';
import type { Keyed } from '../by-id-or-key.ts';
import { type Column, type Columns, columnsOf, type StoredItem } from '../columns.ts';
import { storedTags } from '../tags/stored-tags.ts';

type CreatedRow = StoredItem & {
  id: number;
  external_key: string;
  parent_external_key?: string | null;
  /** JSON of the tags. */
  tags: string;
};

/** A create has all fields, so that later entries can be applied to it. */
export function creationOf(orgId: number, resource: Keyed, row: CreatedRow): ChangeEntry {
  const { id, external_key: externalKey, parent_external_key: parent } = row;
  return {
    orgId,
    action: 'create',
    resource: { type: resource, id, externalKey },
    before: null,
    after: {
      external_key: externalKey,
      ...columnFields(columnsOf(resource), row),
      ...(parent === undefined ? {} : { parent_external_key: parent }),
      tags: tagFields(row.tags),
    },
  };
}

export interface DeletedRow {
  external_key: string;
  deleted_at: string;
}

/** @param tags JSON of the tags that it detached. */
export function deletionOf(
  orgId: number,
  resource: Keyed,
  id: number,
  { external_key: externalKey, deleted_at: deletedAt }: DeletedRow,
  tags: string,
): ChangeEntry {
  return {
    orgId,
    action: 'delete',
    resource: { type: resource, id, externalKey },
    before: { deleted_at: null, tags: new JsonText(tags) },
    after: { deleted_at: wireTime(deletedAt), tags: [] },
  };
}

export function renamingOf(
  orgId: number,
  resource: Keyed,
  id: number,
  before: string,
  externalKey: string,
): ChangeEntry {
  return {
    orgId,
    action: 'rename',
    resource: { type: resource, id, externalKey },
    before: { external_key: before },
    after: { external_key: externalKey },
  };
}

/**
 * Columns whose values differ, before and after.
 *
 * @param more other fields that differ.
 */
export function changeOf(
  orgId: number,
  resource: Keyed,
  current: StoredItem & { id: number; external_key: string },
  after: StoredItem,
  more: { before: Fields; after: Fields } | null = null,
): ChangeEntry {
  const columns = Object.fromEntries(
    Object.entries<Column>(columnsOf(resource)).filter(
      ([name]) => current[name as keyof StoredItem] !== after[name as keyof StoredItem],
    ),
  );
  return {
    orgId,
    action: 'update',
    resource: { type: resource, id: current.id, externalKey: current.external_key },
    before: { ...columnFields(columns, current), ...more?.before },
    after: { ...columnFields(columns, after), ...more?.after },
  };
}

function columnFields(columns: Columns, row: StoredItem): Fields {
  return Object.fromEntries(
    Object.entries(columns).map(([name, { type }]) => {
      const value = row[name as keyof StoredItem] ?? null;
      return [name, typeof value === 'string' ? shown(type, value) : value];
    }),
  );
}

function shown(type: Column['type'], value: string): unknown {
  return type === 'json' ? new JsonText(value) : type === 'time' ? wireTime(value) : value;
}

/** Without ids, like tags that are given. Of many, only size and digest are logged, so they need not be read. */
function tagFields(tags: string): unknown {
  return tags.length > LONG
    ? new JsonText(tags)
    : storedTags(tags).map(({ tag_type, value }) => ({ tag_type, value }));
}

const LONG = 32_768;

/**
 * The log entry of a new row, as in {@link creationOf}, computed from the row: for statements that make many.
 *
 * @param table its alias.
 * @param others further pairs of name and value.
 */
export function loggedRow(columns: Columns, table: string, others: FragmentSqlToken): FragmentSqlToken {
  const key = sql.identifier([table, 'external_key']);
  const fields = Object.entries(columns).map(
    ([name, { type }]) =>
      sql.fragment`${sql.literalValue(name)}, ${loggedValue(type, sql.fragment`${sql.identifier([table, name])}`)}`,
  );
  return sql.fragment`json_build_object('external_key', ${key}, ${sql.join(fields, sql.fragment`, `)}, ${others})`;
}

function loggedValue(type: Column['type'], value: FragmentSqlToken): FragmentSqlToken {
  return type === 'time' ? loggedTime(value) : type === 'json' ? sql.fragment`logged_value(${value})` : value;
}

/** As the API shows it. */
function loggedTime(value: FragmentSqlToken): FragmentSqlToken {
  return sql.fragment`to_char(${value} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
}
