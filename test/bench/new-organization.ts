import pg from 'pg';
import { connectionConfig } from '../../db/timescale/connections/connection.ts';
import { createDatabase } from '../../db/timescale/schema/create-database.ts';
import { migrate } from '../../db/timescale/schema/migrate.ts';

/** A new database with an organization that is a year old, and has 220 locations: 20 halls, and 10 in each. */
export async function newOrganization(url: string): Promise<{ client: pg.Client; orgId: number }> {
  await createDatabase(url);
  await migrate(url);
  const client = new pg.Client(connectionConfig(url));
  await client.connect();
  const { rows } = await client.query<{ id: number }>(
    `insert into organizations (name, created_at) values ('Bench', now() - interval '1 year') returning id`,
  );
  const orgId = rows[0]?.id ?? 0;
  await client.query(
    `insert into locations (org_id, external_key, name, parent_id, created_at)
     select $1, 'PLACE-' || n, 'Place', case when n > 20 then n % 20 + 1 end, now() - interval '1 year'
     from generate_series(1, 220) n`,
    [orgId],
  );
  return { client, orgId };
}
