import { integers } from '../../db/timescale/queries/array-parameters.ts';
import { rowsOf, sql } from '../../db/timescale/queries/sql.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';
import type { ReadMessage } from './message.ts';

/**
 * Nothing more may be acknowledged for the organization: it was deleted since the message was judged, or is moving to
 * another cell.
 */
export class OrganizationGone extends Error {
  readonly orgIds: ReadonlySet<number>;

  constructor(orgIds: readonly number[]) {
    super(`organizations (${orgIds.join(', ')}) were deleted, or move to another cell`);
    this.orgIds = new Set(orgIds);
  }
}

/**
 * Holds until the commit if the transaction has an id: a move or deletion of an organization waits for the transactions
 * with earlier ids. So it does not matter where and for how long this process stalls.
 *
 * @throws OrganizationGone if any of the messages is of such an organization.
 */
export async function requireHere(db: Connection, messages: readonly ReadMessage[]): Promise<void> {
  const orgIds = [...new Set(messages.flatMap(({ reader }) => reader?.orgId ?? []))];
  const gone = await db.any(sql.prepared('find-gone-organizations', rowsOf<{ org_id: number }>())`
    select given.org_id from unnest(${sql.binary(integers(orgIds))}::integer[]) as given (org_id)
    where not exists (select from organizations where id = given.org_id and deleted_at is null)`);
  if (gone.length > 0) {
    throw new OrganizationGone(gone.map(({ org_id: orgId }) => orgId));
  }
}
