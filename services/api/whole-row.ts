import { notFound } from '../../base/errors.ts';
import { type FragmentSqlToken, sql } from '../../db/timescale/queries/sql.ts';
import { ASSET_COLUMNS, type JsonName, jsonNames } from '../../domain/master-data/columns.ts';
import { JsonBytes } from '../../platform/http/json-bytes.ts';
import type { ApiContext } from './context.ts';
import type { Keyed } from './external-keys/mint.ts';

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

/**
 * The view of a row that was looked up. Where texts are missing it is read whole, in a thread, in the organization's turn,
 * and comes as JSON.
 *
 * @param missing what the client is told if it is gone meanwhile; null if it is then shown as deleted, as after a change of it.
 */
export async function wholeView<Row extends { id: number; tags: string }, View>(
  { readLarge }: ApiContext,
  row: LookedUp<Row> & { id: number },
  { resource, view, missing }: { resource: Keyed; view(row: Row): View; missing: string | null },
): Promise<View | JsonBytes> {
  if (isWhole<Row>(row)) {
    return view(row);
  }
  const bytes = await readLarge(resource, [row.id], { onlyLive: missing !== null });
  if (bytes.length === 0) {
    throw notFound(missing ?? 'The row is gone');
  }
  return new JsonBytes(bytes);
}

export function isWhole<Row extends object>(row: object): row is Row {
  return LONG_TEXTS.every((name) => (row as Record<string, unknown>)[name] !== null);
}
