import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { AppError } from '../../../base/errors.ts';
import { heardEverywhere } from '../../../base/heard-everywhere.ts';
import { requireUninterrupted } from './break-off.ts';

/** Milliseconds that transactions that were under way may take to end. */
const PATIENCE = 2_000;

/**
 * Holds an organization: it counts as deleted, and clients are told to come again. Returns once no earlier transaction
 * can still commit: every process has heard, and the earlier transactions have ended.
 *
 * @throws AppError `conflict` if one of them takes too long, or the organization was deleted.
 */
export async function hold(client: pg.ClientBase, orgId: number, signal: AbortSignal): Promise<void> {
  await client.query('begin');
  const { rowCount } = await client.query(
    'update organizations set deleted_at = now(), held_at = now() where id = $1 and deleted_at is null',
    [orgId],
  );
  if (rowCount === 0) {
    await client.query('rollback');
    throw new AppError(
      'conflict',
      `Organization ${orgId} was deleted while it moved; end the move: cell give-up`,
    );
  }
  await client.query(`update cell_moves set state = 'held' where org_id = $1`, [orgId]);
  await client.query('commit');
  await heardEverywhere();
  const { rows } = await client.query<{ xid: string }>('select pg_current_xact_id()::text as xid');
  const xid = rows[0]?.xid ?? '';
  for (const until = performance.now() + PATIENCE; ; ) {
    const ended = await client.query<{ ended: boolean }>(
      'select pg_snapshot_xmin(pg_current_snapshot()) > $1::xid8 as ended',
      [xid],
    );
    if (ended.rows[0]?.ended === true) {
      return;
    }
    requireUninterrupted(signal);
    if (performance.now() > until) {
      throw new AppError(
        'conflict',
        'Another transaction has been under way for seconds (an import, for instance); run this again when it has ended',
      );
    }
    await pause(20);
  }
}

/** As it was before. */
export async function release(
  client: pg.ClientBase,
  orgId: number,
  state: 'following' | null,
): Promise<void> {
  // The failed statement may have been in a transaction.
  await client.query('rollback');
  await client.query('begin');
  await client.query(
    'update organizations set deleted_at = null, held_at = null where id = $1 and held_at is not null',
    [orgId],
  );
  if (state !== null) {
    await client.query('update cell_moves set state = $2 where org_id = $1', [orgId, state]);
  }
  await client.query('commit');
}
