import { type Database, databaseOn } from '../../db/timescale/connections/database.ts';
import { createWritePool } from '../../db/timescale/connections/pool.ts';
import { rowsOf, sql } from '../../db/timescale/queries/sql.ts';
import { createApiKey } from '../../domain/administration/api-keys/issue-key.ts';
import { PUBLIC_SCOPES } from '../../domain/administration/api-keys/scopes.ts';
import { createHandheld } from '../../domain/administration/handhelds/create-handheld.ts';
import {
  createOrganization,
  hasOrganizations,
  listOrganizations,
} from '../../domain/administration/organizations/organizations.ts';
import { makeFirstLink } from '../../domain/administration/users/links/make-link.ts';
import { hasUsers } from '../../domain/administration/users/list-users.ts';
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

/**
 * The token of a link for the first administrator of the first organization; a new one with each start, until somebody
 * was let in.
 *
 * @returns null where there are users, or is no organization.
 */
export async function firstAdministratorToken(databaseUrl: string): Promise<string | null> {
  const pool = createWritePool(databaseUrl, { max: 1 });
  try {
    const db = databaseOn(pool);
    if (await hasUsers(db)) {
      return null;
    }
    const [organization] = await listOrganizations(db);
    return organization === undefined
      ? null
      : (await makeFirstLink(db, commandLineActor(), organization.id)).token;
  } finally {
    await pool.end();
  }
}
