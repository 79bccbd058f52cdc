import { AppError } from '../../../base/errors.ts';
import { TAGTRAIL } from '../../../base/typed-command.ts';
import type { Pool } from '../../../db/timescale/connections/client.ts';
import { databaseOn } from '../../../db/timescale/connections/database.ts';
import {
  countRows,
  type ErasingOptions,
  eraseMembers,
  eraseRows,
  stillReferring,
  type TableRows,
} from '../../../db/timescale/erase/erase-rows.ts';
import { tablesToEmpty } from '../../../db/timescale/erase/organization-tables.ts';
import { NO_ROWS, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import type { Actor } from '../../changes/actor.ts';
import { changed, makeChange } from '../../changes/make-change.ts';
import { missing } from './live-organization.ts';

export interface Erasure {
  orgId: number;
  /** As confirmation. */
  name: string;
  /** Erases although messages about its assets are retained at a broker, which nobody can clear afterwards. */
  leavesPublished: boolean;
}

export interface ErasedTable {
  name: string;
  /** By this run. */
  deleted: number;
  left: number;
}

/** Rows of processes that have not yet heard of the deletion go with the next pass. */
const PASSES = 5;

/**
 * Deletes every row of a deleted organization, and checks that none is left. May be interrupted and run again.
 *
 * @throws AppError `not_found`, also if another run deleted the last row; `conflict` if it is not deleted, has another
 * name, or is still written to.
 */
export async function eraseOrganization(
  pool: Pool,
  actor: Actor,
  erasure: Erasure,
  { signal, onProgress }: Pick<ErasingOptions, 'signal'> & { onProgress(table: string, rows: number): void },
): Promise<ErasedTable[]> {
  const { orgId } = erasure;
  await requireErasable(pool, erasure);
  const tables = await tablesToEmpty(pool);
  const deleted = new Map<string, number>();
  const add = (name: string, rows: number) => {
    deleted.set(name, (deleted.get(name) ?? 0) + rows);
    onProgress(name, deleted.get(name) ?? 0);
  };
  const pass = async () => {
    add('users', await eraseMembers(pool, orgId));
    // While its readers are there to tell by.
    add('rejected_messages', await eraseUnclaimed(databaseOn(pool), orgId));
    for (const table of tables) {
      await eraseRows(pool, table, orgId, { signal, onDeleted: (rows) => add(table.name, rows) });
    }
    const left = await countRows(pool, orgId);
    const remaining = left.filter(({ rows }) => rows > 0).map(({ name }) => name);
    if (remaining.length === 0) {
      await eraseItself(pool, actor, orgId);
    }
    return remaining;
  };
  for (let passes = 1; ; passes++) {
    const remaining = await pass().catch(unlessReferred);
    if (remaining.length === 0) {
      const left = [...(await countRows(pool, orgId)), { name: 'users', rows: 0 }];
      return left.map(({ name, rows }) => ({ name, deleted: deleted.get(name) ?? 0, left: rows }));
    }
    if (passes === PASSES) {
      throw new AppError(
        'conflict',
        `Organization ${orgId} still gets new rows (${remaining.join(', ')}); stop the processes that write them, and run this again`,
      );
    }
  }
}

/** Another transaction wrote a row that refers to a deleted one; the next pass deletes it. */
function unlessReferred(error: unknown): string[] {
  const table = stillReferring(error);
  if (table === null) {
    throw error;
  }
  return [table];
}

async function requireErasable(pool: Pool, { orgId, name, leavesPublished }: Erasure): Promise<void> {
  const found = await databaseOn(pool).maybeOne(
    sql.type(rowsOf<{ name: string; is_deleted: boolean; is_moving: boolean; topics: number }>())`
      select name, deleted_at is not null as is_deleted,
        exists (select from cell_moves where org_id = ${orgId} and state <> 'left') as is_moving,
        (select count(*) from mqtt_topics where org_id = ${orgId} and digest is distinct from ''::bytea)::integer as topics
      from organizations where id = ${orgId}`,
  );
  if (found === null) {
    throw missing(orgId);
  }
  if (found.is_moving) {
    throw new AppError(
      'conflict',
      `Organization ${orgId} is being moved between cells; complete that first, or give it up: ${TAGTRAIL} cell give-up --help`,
    );
  }
  if (!found.is_deleted) {
    throw new AppError(
      'conflict',
      `Organization ${orgId} is in use; delete it first: ${TAGTRAIL} org delete --org ${orgId}`,
    );
  }
  if (found.name !== name) {
    throw new AppError(
      'conflict',
      `The name of organization ${orgId} is "${found.name}"; confirm it with --confirm`,
    );
  }
  if (found.topics > 0 && !leavesPublished) {
    throw new AppError(
      'conflict',
      `Messages about ${found.topics} of its assets are retained at the broker; leave ingestion running with MQTT_MOVES_PREFIX until it has cleared them, or give --leave-published`,
    );
  }
}

function eraseItself(pool: Pool, actor: Actor, orgId: number): Promise<null> {
  return makeChange(databaseOn(pool), actor, async (change) => {
    // Waits for another run that does the same; what that has erased is not logged again.
    const deleted = await change.exec(sql.type(NO_ROWS)`delete from organizations where id = ${orgId}`);
    if (deleted === 0) {
      throw new AppError('not_found', `Organization ${orgId} was erased by another run meanwhile`);
    }
    // Belongs to the installation: the organization is gone.
    return changed(null, [
      {
        orgId: null,
        action: 'erase',
        resource: { type: 'organization', id: orgId },
        before: null,
        after: null,
      },
    ]);
  });
}

/**
 * Deletes messages on topics of the organization's former readers, which they may still send to a broker. Topics of
 * another organization are left alone. Few topics have wildcards; the others are compared directly.
 *
 * @returns the number of messages.
 */
function eraseUnclaimed(db: Connection, orgId: number): Promise<number> {
  return db.exec(sql.type(NO_ROWS)`
    with filter as materialized (
      select topic, bool_or(org_id = ${orgId}) as is_own, bool_or(org_id <> ${orgId}) as is_of_others,
        case when topic ~ '[+#]' then '^' || regexp_replace(
          replace(regexp_replace(topic, '([.^$*?(){}|[\\]\\\\])', '\\\\\\1', 'g'), '+', '[^/]*'), '(^|/)#$', '(\\1.*)?'
        ) || '$' end as pattern
      from readers group by topic
    ), kept as materialized (
      select distinct topic from rejected_messages where coalesce(org_id, 0) = 0
    ), claimed as materialized (
      select kept.topic, filter.is_own, filter.is_of_others from kept join filter on filter.topic = kept.topic
      union all
      select kept.topic, filter.is_own, filter.is_of_others
      from kept join filter on filter.pattern is not null and kept.topic ~ filter.pattern
    )
    delete from rejected_messages where org_id is null and topic in (
      select topic from claimed group by topic having bool_or(is_own) and not bool_or(is_of_others)
    )`);
}

/** The rows that erasing an organization would delete, by table. @throws AppError `not_found`. */
export async function previewErasure(
  pool: Pool,
  orgId: number,
): Promise<{ name: string; tables: TableRows[] }> {
  const found = await databaseOn(pool).maybeOne(
    sql.type(rowsOf<{ name: string }>())`select name from organizations where id = ${orgId}`,
  );
  if (found === null) {
    throw missing(orgId);
  }
  return { name: found.name, tables: (await countRows(pool, orgId)).filter(({ rows }) => rows > 0) };
}
