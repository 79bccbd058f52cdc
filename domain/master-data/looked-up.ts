import { expensiveTurns, QUEUE } from '../../base/expensive-turns.ts';
import { type FragmentSqlToken, sql } from '../../db/timescale/queries/sql.ts';
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

/**
 * A row for a patch: without large texts, unless the patch is compared with them. Those are read in the organization's
 * turn.
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
  await expensiveTurns.hold(orgId, 'rows', QUEUE);
  return readWhole();
}
