import type { Micros } from '../../../base/instant.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { boundPieces, type DatedText, MOST_PIECES, pathKey } from './evidence.ts';

/**
 * The texts of values in the metadata of assets, by asset and path, as they were from an instant on: what changes since
 * then replaced, and what there is now. A value that was too large to be logged is not known.
 *
 * @throws TooMuchWork
 */
export async function loadDescribed(
  db: Connection,
  orgId: number,
  assetIds: readonly number[],
  paths: readonly (readonly string[])[],
  since: Micros,
): Promise<ReadonlyMap<number, ReadonlyMap<string, DatedText[]>>> {
  const wanted = [...new Set(paths.map(pathKey))];
  if (wanted.length === 0) {
    return new Map();
  }
  const rows = await db.any(sql.type(
    rowsOf<{ asset_id: number; path: string; text: string | null; until: Micros | null }>(),
  )`
    select dated.asset_id, wanted.path::text as path, micros_of_time(dated.until) as until,
      case when json_typeof(dated.metadata #> wanted.steps) not in ('object', 'array')
        then dated.metadata #>> wanted.steps end as text
    from (
      select id as asset_id, metadata, null::timestamptz as until from assets
      where org_id = ${orgId} and id = any (${sql.array(assetIds, 'int4')})
      union all
      select change.resource_id::integer, change.before -> 'metadata', change.at
      from unnest(${sql.array(assetIds, 'int4')}) as given (id)
      join changes change on change.org_id = ${orgId} and change.resource_type = 'asset'
        and change.resource_id = given.id::text and change.at >= time_of_micros(${since})
        and change.before -> 'metadata' is not null
    ) dated
    cross join (
      select path, array(select json_array_elements_text(path)) as steps
      from unnest(${sql.array(wanted, 'text')}::json[]) as given (path)
    ) wanted
    limit ${MOST_PIECES + 1}`);
  boundPieces(rows.length);
  return new Map(
    [...Map.groupBy(rows, ({ asset_id: id }) => id)].map(([id, ofAsset]) => [
      id,
      new Map(
        [...Map.groupBy(ofAsset, ({ path }) => path)].map(([path, own]) => [path, textsOf(own)] as const),
      ),
    ]),
  );
}

function textsOf(rows: readonly { text: string | null; until: Micros | null }[]): DatedText[] {
  const sorted = rows
    .map(({ text, until }) => ({ text, until: until ?? Number.POSITIVE_INFINITY }))
    .toSorted((a, b) => Math.sign(a.until - b.until));
  return sorted.map(({ text, until }, index) => ({
    text,
    since: sorted[index - 1]?.until ?? Number.NEGATIVE_INFINITY,
    until,
  }));
}
