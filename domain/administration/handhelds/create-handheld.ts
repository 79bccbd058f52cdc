import { requireName } from '../../../base/names.ts';
import type { Database } from '../../../db/timescale/connections/database.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Actor } from '../../changes/actor.ts';
import { type Change, changed, makeChange } from '../../changes/make-change.ts';
import { holdLiveOrganization } from '../organizations/live-organization.ts';
import { digestOfSecret, formatToken, newSecret } from './token-format.ts';

export interface NewHandheld {
  orgId: number;
  /** 1 to 255 characters. */
  name: string;
}

export interface CreatedHandheld {
  id: number;
  /** The only copy: the database keeps the secret's SHA-256. */
  token: string;
}

/**
 * Registers a handheld of an organization.
 *
 * @throws AppError `invalid_input` (name), `not_found` (organization).
 */
export async function createHandheld(
  db: Database,
  actor: Actor,
  handheld: NewHandheld,
): Promise<CreatedHandheld> {
  requireName('a handheld', handheld.name);
  const secret = newSecret();
  const handheldId = await makeChange(db, actor, async (change) => {
    await holdLiveOrganization(change, handheld.orgId);
    const id = await insertHandheld(change, handheld, digestOfSecret(secret));
    return changed(id, [
      {
        orgId: handheld.orgId,
        action: 'create',
        resource: { type: 'handheld', id },
        before: null,
        after: { name: handheld.name },
      },
    ]);
  });
  return { id: handheldId, token: formatToken({ handheldId, secret }) };
}

async function insertHandheld(
  change: Change,
  { orgId, name }: NewHandheld,
  secretDigest: Buffer,
): Promise<number> {
  const { id } = await change.one(sql.type(rowsOf<{ id: number }>())`
    insert into handhelds (org_id, name, token_sha256)
    values (${orgId}, ${name}, ${sql.binary(secretDigest)}) returning id`);
  return id;
}
