import type { OrganizationDatabase } from '../../../db/timescale/connections/organization-door.ts';
import { NO_ROWS, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { UserActor } from '../../changes/actor.ts';
import { makeChange, unchanged } from '../../changes/make-change.ts';
import type { Keyed } from '../by-id-or-key.ts';

/** Bytes per piece and statement, short enough that others do not notice. */
const PIECE = 262_144;

/** The most unapplied files of an organization, and how long they are kept; of the others only the outcome is kept. */
const MOST_UNAPPLIED = 5;
const MOST_IN_ALL = 50;
const KEPT = '7 days';

/**
 * Stores a file for review and import, and removes old ones.
 *
 * @returns its id.
 */
export function storeFile(
  db: OrganizationDatabase,
  actor: UserActor,
  file: { resource: Keyed; fileName: string; content: Buffer },
): Promise<number> {
  const { resource, fileName, content } = file;
  return makeChange(db, actor, async (transaction) => {
    const { orgId } = transaction;
    const { id } = await transaction.one(sql.type(rowsOf<{ id: number }>())`
      insert into imports (org_id, resource, file_name, bytes, user_id)
      values (${orgId}, ${resource}, ${fileName}, ${content.length}, ${actor.id})
      returning id`);
    for (let part = 0; part * PIECE < content.length; part++) {
      const piece = content.subarray(part * PIECE, (part + 1) * PIECE);
      await transaction.exec(sql.type(NO_ROWS)`
        insert into import_parts (org_id, import_id, part, content)
        values (${orgId}, ${id}, ${part}, ${sql.binary(piece)})`);
    }
    await transaction.exec(sql.type(NO_ROWS)`
      delete from imports where org_id = ${orgId} and id in (
        select id from (
          select id, created_at, state, row_number() over (partition by state = 'applied' order by id desc) as place
          from imports where org_id = ${orgId}
        ) kept
        where created_at < now() - ${KEPT}::interval
          or place > case when state = 'applied' then ${MOST_IN_ALL}::integer else ${MOST_UNAPPLIED}::integer end
      ) and id <> ${id}`);
    // Nothing that people look after changes until it is applied.
    return unchanged(id);
  });
}

/**
 * Discards a file that is not applied. In a transaction, because it may wait for one that applies it.
 *
 * @returns false if there is none.
 */
export function discardImport(db: OrganizationDatabase, actor: UserActor, id: number): Promise<boolean> {
  return makeChange(db, actor, async (transaction) => {
    const row = await transaction.maybeOne(sql.type(rowsOf<{ id: number }>())`
      delete from imports where org_id = ${db.orgId} and id = ${id} and state <> 'applied' returning id`);
    return unchanged(row !== null);
  });
}
