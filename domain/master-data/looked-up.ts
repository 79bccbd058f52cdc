import { dearTurns } from '../../base/dear-turns.ts';
import { type FragmentSqlToken, sql } from '../../db/timescale/queries/sql.ts';
import { ASSET_COLUMNS, type JsonName, jsonNames } from './columns.ts';
import { QUEUE } from './dear-queue.ts';

/**
 * A row as it comes from a look-up, on a connection that others' look-ups share: without the texts that are large, and
 * null in their place. With 10,000 tags and a mebibyte of metadata, and four at a time, others waited 70 ms.
 */
export type LookedUp<Row> = {
  [Name in keyof Row]: Name extends LongText ? Row[Name] | null : Row[Name];
};

type LongText = 'tags' | JsonName<typeof ASSET_COLUMNS>;

/** The texts that can be large. */
export const LONG_TEXTS: readonly LongText[] = ['tags', ...jsonNames(ASSET_COLUMNS)];

/** In bytes: stored, which may be compressed to a ninetieth; and as text. */
const STORED = 8_192;
const LONG = 65_536;

/** Texts where they are not large, else null; one that is stored in little is unpacked to see that. */
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

/**
 * A row as a patch needs it: without large texts, unless the patch is compared with them. Those are read in the
 * organization's turn.
 */
export async function rowToPatch<Row extends object>(
  orgId: number,
  looked: LookedUp<Row>,
  patch: { touches(...names: string[]): boolean },
  readWhole: () => Promise<Row>,
): Promise<Row> {
  if (isWhole<Row>(looked) || !patch.touches(...LONG_TEXTS)) {
    return looked as Row;
  }
  await dearTurns.hold(orgId, 'rows', QUEUE);
  return readWhole();
}
