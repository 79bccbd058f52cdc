import type { Micros } from '../../../base/instant.ts';
import { integers } from '../../../db/timescale/queries/array-parameters.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import type { Organization, Work } from './organization.ts';

/** Assets that are asked about for each that may be looked at: of 20,000 at once the loop would stand for 60 ms. */
const ASKED = 2;

/** Puts off assets that were read in time, and has others looked at that were not. */
export async function askExpected(
  db: Connection,
  orgId: number,
  { expected }: Organization,
  work: Work,
  { now, share }: { now: Micros; share: number },
): Promise<void> {
  const asked = expected.take(now, share * ASKED);
  if (asked.length === 0) {
    return;
  }
  const lastSeen = await loadLastSeen(
    db,
    orgId,
    asked.map(({ id }) => id),
  );
  let looked = 0;
  for (const { id, ...read } of asked) {
    const since = expected.answer({ id, ...read }, lastSeen.get(id) ?? null, now);
    if (since !== null && looked < share) {
      looked += 1;
      work.assets.add(id, since);
    } else if (since !== null) {
      expected.add(id, read, now);
    }
  }
}

async function loadLastSeen(
  db: Connection,
  orgId: number,
  assetIds: readonly number[],
): Promise<ReadonlyMap<number, Micros>> {
  const rows = await db.any(sql.prepared('find-last-seen', rowsOf<{ asset_id: number; last_seen: Micros }>())`
    select position.asset_id, micros_of_time(position.last_seen) as last_seen
    from unnest(${sql.binary(integers(assetIds))}::integer[]) as given (id)
      join positions position on position.org_id = ${orgId} and position.asset_id = given.id
    where position.last_seen is not null`);
  return new Map(rows.map(({ asset_id: id, last_seen: at }) => [id, at]));
}
