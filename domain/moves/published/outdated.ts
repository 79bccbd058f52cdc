import { NO_ROWS, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';

/** Assets to be published again because they or a location were renamed, or moved in the tree. */
export interface Outdated {
  assetIds: number[];
  /** Call once that is published. */
  done(): Promise<void>;
}

export async function readOutdated(
  db: Connection,
  orgId: number,
  { limit }: { limit: number },
): Promise<Outdated> {
  const assets = await db.any(sql.type(rowsOf<{ asset_id: number; mark: number }>())`
    select asset_id, mark from mqtt_outdated where org_id = ${orgId} and location_id = 0 order by asset_id limit ${limit}`);
  if (assets.length > 0) {
    const assetIds = assets.map(({ asset_id: id }) => id);
    const marks = assets.map(({ mark }) => mark);
    return {
      assetIds,
      // A later change has another mark. If it is not committed yet, this waits for it.
      done: async () => {
        await db.exec(sql.type(NO_ROWS)`
          delete from mqtt_outdated
          using unnest(${sql.array(assetIds, 'int4')}, ${sql.array(marks, 'int8')}) as done (asset_id, mark)
          where mqtt_outdated.org_id = ${orgId} and mqtt_outdated.asset_id = done.asset_id
            and mqtt_outdated.location_id = 0 and mqtt_outdated.mark = done.mark`);
      },
    };
  }
  return readBelow(db, orgId, limit);
}

/** Assets at an outdated location, or at any below it. */
async function readBelow(db: Connection, orgId: number, limit: number): Promise<Outdated> {
  const next = await db.maybeOne(
    sql.type(rowsOf<{ location_id: number; mark: number; done_after: number }>())`
      select location_id, mark, done_after from mqtt_outdated
      where org_id = ${orgId} and asset_id = 0 order by location_id limit 1`,
  );
  if (next === null) {
    return { assetIds: [], done: async () => {} };
  }
  const rows = await db.any(sql.type(rowsOf<{ asset_id: number }>())`
    with recursive below as (
      select ${next.location_id}::integer as id
      union
      select child.id from below join locations child on child.org_id = ${orgId} and child.parent_id = below.id
    )
    select position.asset_id
    from below join positions position on position.org_id = ${orgId} and position.location_id = below.id
    where position.asset_id > ${next.done_after}
    order by position.asset_id limit ${limit}`);
  const assetIds = rows.map(({ asset_id: id }) => id);
  const own = sql.fragment`org_id = ${orgId} and asset_id = 0 and location_id = ${next.location_id} and mark = ${next.mark}::int8`;
  return {
    assetIds,
    done: async () => {
      await db.exec(
        assetIds.length < limit
          ? sql.type(NO_ROWS)`delete from mqtt_outdated where ${own}`
          : sql.type(NO_ROWS)`update mqtt_outdated set done_after = ${assetIds.at(-1) ?? 0} where ${own}`,
      );
    },
  };
}
