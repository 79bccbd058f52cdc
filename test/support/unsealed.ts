import type { TestDatabase } from './database.ts';

/** A site of an organization of its own. @returns the organization's id. */
export async function newOrganization(database: TestDatabase, name = 'Acme'): Promise<number> {
  const [row] = await database.rows<{ id: number }>(
    'insert into organizations (name) values ($1) returning id',
    [name],
  );
  return row?.id ?? 0;
}

/** Commits events of so many of an organization's assets, as a recorder writes them. */
export async function writeUnsealed(
  database: TestDatabase,
  orgId: number,
  count: number,
  assets = 10,
): Promise<void> {
  await database.rows(
    `insert into unsealed_moves (org_id, asset_id, kind, recorded_at, location_id, since, last_seen, duration_seconds)
     select $1, 1 + number % $3, 'moved', clock_timestamp(), 1 + number % 7, now(), now(), number
     from generate_series(1, $2::integer) number`,
    [orgId, count, assets],
  );
}

export interface SealedRow {
  org_id: number;
  position: number;
  asset_id: number;
  number: number;
}

export function readSealed(database: TestDatabase): Promise<SealedRow[]> {
  return database.rows(
    'select org_id, position, asset_id, duration_seconds as number from moves order by org_id, position',
  );
}
