import { databaseOn } from '../../db/timescale/connections/database.ts';
import { createWritePool } from '../../db/timescale/connections/pool.ts';
import { listOrganizations } from '../../domain/administration/organizations/list-organizations.ts';
import { makeFirstLink } from '../../domain/administration/users/links/make-link.ts';
import { hasUsers } from '../../domain/administration/users/list-users.ts';
import { commandLineActor } from './command-line-actor.ts';

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
