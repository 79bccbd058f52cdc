import { type Database, databaseOn } from '../../db/timescale/connections/database.ts';
import { createWritePool } from '../../db/timescale/connections/pool.ts';
import { rowsOf, sql } from '../../db/timescale/queries/sql.ts';
import { createApiKey } from '../../domain/administration/api-keys/create-api-key.ts';
import { PUBLIC_SCOPES } from '../../domain/administration/api-keys/scopes.ts';
import { createHandheld } from '../../domain/administration/handhelds/create-handheld.ts';
import { createOrganization } from '../../domain/administration/organizations/create-organization.ts';
import { hasOrganizations } from '../../domain/administration/organizations/list-organizations.ts';
import { commandLineActor } from './command-line-actor.ts';

/** Credentials of a fresh installation. Key and token are shown once and stored nowhere. */
export interface FirstCredentials {
  orgId: number;
  organization: string;
  apiKey: string;
  handheldToken: string;
  /** The number of the next reader, for an example. */
  nextReaderId: number;
}

/** Creates an organization with an API key and a handheld if there is no organization yet; null if there is. */
export async function firstCredentials(databaseUrl: string): Promise<FirstCredentials | null> {
  const pool = createWritePool(databaseUrl, { max: 1 });
  try {
    const db = databaseOn(pool);
    return (await hasOrganizations(db)) ? null : await makeFirstOrganization(db);
  } finally {
    await pool.end();
  }
}

async function makeFirstOrganization(db: Database): Promise<FirstCredentials> {
  const actor = commandLineActor();
  const { id: orgId, name: organization } = await createOrganization(db, actor, 'My organization');
  const { key: apiKey } = await createApiKey(db, actor, {
    orgId,
    name: 'first key',
    scopes: PUBLIC_SCOPES,
    expiresAt: null,
  });
  const { token: handheldToken } = await createHandheld(db, actor, { orgId, name: 'first handheld' });
  return { orgId, organization, apiKey, handheldToken, nextReaderId: await nextReaderId(db) };
}

/** Cells draw from different ranges. */
async function nextReaderId(db: Database): Promise<number> {
  const { id } = await db.one(sql.type(rowsOf<{ id: number }>())`
    select coalesce(last_value + 1, start_value) as id from pg_sequences
    where schemaname = 'public' and sequencename = 'readers_id_seq'`);
  return id;
}
