import { expensiveTurns, QUEUE } from '../../base/expensive-turns.ts';
import { type Page, pageOf } from '../../base/page.ts';
import { type FragmentSqlToken, sql, type ValueExpression } from '../../db/timescale/queries/sql.ts';
import type { Keyed } from './by-id-or-key.ts';
import { ASSET_COLUMNS, type JsonName, jsonNames } from './columns.ts';

/**
 * A row from a pipelined look-up: large texts are left out, null in their place. With 10,000 tags and 1 MiB
 * of metadata, four at a time, others waited 70 ms.
 */
export type LookedUp<Row> = {
  [Name in keyof Row]: Name extends LongText ? Row[Name] | null : Row[Name];
};

type LongText = 'tags' | JsonName<typeof ASSET_COLUMNS>;

const LONG_TEXTS: readonly LongText[] = ['tags', ...jsonNames(ASSET_COLUMNS)];

/** Bytes, both stored (which may be compressed to a ninetieth) and as text. */
const STORED = 8_192;
const LONG = 65_536;

/** Texts unless large, else null; small stored ones are unpacked to find out. */
export function unlessLarge(
  texts: Readonly<Record<string, FragmentSqlToken>>,
): Record<string, FragmentSqlToken> {
  const items = Object.entries(texts).map(([name, text]) => [
    name,
    sql.fragment`case when pg_column_size(${text}) <= ${STORED}
    then case when octet_length(${text}::text) <= ${LONG} then ${text} end end`,
  ]);
  return Object.fromEntries(items);
}

export function isWhole<Row extends object>(row: object): row is Row {
  return LONG_TEXTS.every((name) => (row as Record<string, unknown>)[name] !== null);
}

/** A row for a patch: without large texts, unless the patch changes them. These are read in the organization's turn. */
export async function rowToPatch<Row extends object>(
  orgId: number,
  looked: LookedUp<Row>,
  patch: { touches(...names: string[]): boolean },
  readWhole: () => Promise<Row>,
): Promise<Row> {
  if (isWhole<Row>(looked) || !patch.touches(...LONG_TEXTS)) {
    return looked as Row;
  }
  await expensiveTurns.hold(orgId, 'rows', QUEUE);
  return readWhole();
}

/**
 * Bytes of unbounded texts (metadata, tags) read along with a page. Rows beyond come without them and are read later,
 * in pieces of this size: a page of 200 assets can have 200 MB of metadata.
 */
const PIECE_BYTES = 1_048_576;

export type ReadLargeRows = (
  resource: Keyed,
  ids: readonly number[],
  options?: { onlyLive: boolean },
) => Promise<Uint8Array>;

export interface Sized {
  /** Null if the texts are included. */
  text_bytes: number | null;
}

export interface Listed extends Sized {
  total_count: number;
}

/**
 * Select-list items for texts, null from the row on that would exceed {@link PIECE_BYTES}, and `text_bytes`.
 *
 * @param texts of type json, by name.
 * @param order of the rows in the page.
 */
export function textsThatFit(
  texts: Readonly<Record<string, FragmentSqlToken>>,
  order: ValueExpression,
): FragmentSqlToken {
  const lengths = Object.values(texts).map((text) => sql.fragment`octet_length(${text}::text)`);
  const bytes = sql.fragment`(${sql.join(lengths, sql.fragment` + `)})`;
  const fits = sql.fragment`sum(${bytes}) over (order by ${order} rows unbounded preceding) <= ${MOST}`;
  const items = Object.entries(texts).map(
    ([name, text]) => sql.fragment`case when ${fits} then ${text} end as ${sql.identifier([name])}`,
  );
  return sql.fragment`${sql.join(items, sql.fragment`, `)}, case when not ${fits} then ${bytes} end as text_bytes`;
}

const MOST = sql.literalValue(String(PIECE_BYTES));

/**
 * A page of rows selected with {@link textsThatFit}.
 *
 * @param read reads whole rows as JSON.
 */
export function pageInPieces<Row extends { id: number; tags: string }>(
  rows: readonly (Row & Listed)[],
  read: (ids: readonly number[]) => Promise<Uint8Array>,
): Page<Row> {
  const page = pageOf(rows);
  const start = firstWithoutTexts(page.rows);
  return start === -1
    ? page
    : { ...page, rows: page.rows.slice(0, start), later: readAsJson(page.rows.slice(start), read) };
}

async function* readAsJson(
  rows: readonly (Sized & { id: number })[],
  read: (ids: readonly number[]) => Promise<Uint8Array>,
): AsyncGenerator<Uint8Array, void> {
  for (const piece of pieces(rows, textBytes, PIECE_BYTES)) {
    yield await read(idsOf(piece));
  }
}

/**
 * Rows outside a page, in pieces.
 *
 * @param read reads whole rows in their present state, in any order.
 */
export async function* inPieces<Row extends { id: number; tags: string }>(
  rows: readonly (Row & Sized)[],
  read: (ids: readonly number[]) => Promise<readonly Row[]>,
): AsyncGenerator<readonly Row[], void> {
  const start = firstWithoutTexts(rows);
  const whole = start === -1 ? rows : rows.slice(0, start);
  if (whole.length > 0) {
    yield whole;
  }
  if (start !== -1) {
    yield* readLater(rows.slice(start), read);
  }
}

function firstWithoutTexts(rows: readonly { tags: string | null }[]): number {
  return rows.findIndex(({ tags }) => tags === null);
}

async function* readLater<Row extends { id: number }>(
  rows: readonly (Row & Sized)[],
  read: (ids: readonly number[]) => Promise<readonly Row[]>,
): AsyncGenerator<readonly Row[], void> {
  for (const piece of pieces(rows, textBytes, PIECE_BYTES)) {
    const found = new Map((await read(idsOf(piece))).map((row) => [row.id, row]));
    yield piece.flatMap(({ id }) => found.get(id) ?? []);
  }
}

function textBytes(row: Sized): number {
  return row.text_bytes ?? 0;
}

function idsOf(rows: readonly { id: number }[]): number[] {
  return rows.map(({ id }) => id);
}

/** The rows in order, in groups that together weigh at most `most`, but have at least one row. */
export function* pieces<Row>(
  rows: readonly Row[],
  weightOf: (row: Row) => number,
  most: number,
): Generator<Row[], void> {
  let piece: Row[] = [];
  let weight = 0;
  for (const row of rows) {
    const more = weightOf(row);
    if (piece.length > 0 && weight + more > most) {
      yield piece;
      piece = [];
      weight = 0;
    }
    piece.push(row);
    weight += more;
  }
  yield piece;
}
