import type { Client } from '../../../db/timescale/connections/client.ts';
import type { Reference } from '../wire/reference.ts';

/** Assets by id, as answers name them. */
export function nameAssets(client: Client, orgId: number, ids: Iterable<number | null>) {
  return named(client, NAME_ASSETS, orgId, ids);
}

/** Locations by id, as answers name them; deleted ones too, for where an asset came from. */
export function nameLocations(client: Client, orgId: number, ids: Iterable<number | null>) {
  return named(client, NAME_LOCATIONS, orgId, ids);
}

const NAME_ASSETS = {
  name: 'name-assets',
  text: `select id, external_key, name from assets where org_id = $1::integer and id = any($2::integer[])`,
};

const NAME_LOCATIONS = {
  name: 'name-locations',
  text: `select id, external_key, name from locations where org_id = $1::integer and id = any($2::integer[])`,
};

async function named(
  client: Client,
  query: { name: string; text: string },
  orgId: number,
  ids: Iterable<number | null>,
): Promise<ReadonlyMap<number, Reference>> {
  const distinct = [...new Set(ids)].filter((id) => id !== null);
  if (distinct.length === 0) {
    return new Map();
  }
  const { rows } = await client.query<Reference>({ ...query, values: [orgId, distinct] });
  return new Map(rows.map((row) => [row.id, row]));
}
