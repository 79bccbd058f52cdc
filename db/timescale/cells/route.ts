import type pg from 'pg';

/** A router's knowledge of an organization that has left its first cell. */
export interface Route {
  /** The number of the cell that it is in now; null if it has none, which no organization can move to. */
  cell: number | null;
  /** What identifies its requests and connections: ids of keys, `th_7`, `reader-7`, `consumer-7`. */
  credentials: readonly string[];
}

/** Asked at the cell that has it. */
export async function routeOf(to: pg.ClientBase, orgId: number): Promise<Route> {
  const { rows } = await to.query<Route>(
    `select cell_number() as cell, array(
       select id from api_keys where org_id = $1 and revoked_at is null
       union all select 'th_' || id from handhelds where org_id = $1 and revoked_at is null
       union all select mqtt_username from readers where org_id = $1 and deleted_at is null
       union all select 'consumer-' || id from mqtt_consumers where org_id = $1
       order by 1
     ) as credentials`,
    [orgId],
  );
  const [route] = rows;
  if (route === undefined) {
    throw new Error('a cell has at most one number');
  }
  return route;
}
