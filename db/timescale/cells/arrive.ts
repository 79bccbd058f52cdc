import type pg from 'pg';
import { AppError } from '../../../base/errors.ts';
import { endConnections } from '../copy/end-connections.ts';
import type { Cells, MoveHooks } from './cells.ts';
import { copyUsers, requireNoStrangers } from './moved-users.ts';
import { dropReplication } from './replication.ts';
import { routeOf } from './route.ts';
import { endMove, findMove, setState } from './stored-moves.ts';

/** The preconditions for writing there. */
export async function prepare({ from, to, orgId, tables }: Cells): Promise<void> {
  await requireNoStrangers(from, to, orgId);
  await to.query('begin');
  for (const { sequence } of tables.flatMap(({ sequences }) => sequences)) {
    await raiseSequence(from, to, sequence);
  }
  await to.query('commit');
}

/** Past the organization's ids, unless the cells draw from different ranges, where none can be drawn twice. */
async function raiseSequence(from: pg.Client, to: pg.Client, sequence: string): Promise<void> {
  const { rows } = await from.query<{ drawn: string | null }>(
    'select pg_sequence_last_value($1::regclass)::text as drawn',
    [sequence],
  );
  await to.query(
    `select setval(seqrelid, greatest(pg_sequence_last_value(seqrelid), $2::bigint)) from pg_sequence
     where seqrelid = $1::regclass and $2::bigint between seqmin and seqmax`,
    [sequence, rows[0]?.drawn ?? null],
  );
}

/** 5. After the switch, which is committed at the old cell. */
export async function arrive({ from, to, orgId, slot }: Cells, hooks: MoveHooks): Promise<void> {
  // Not again if a killed run has done it: the organization is in use there since.
  if ((await findMove(to, orgId)) !== null) {
    await open({ from, to, orgId }, hooks);
  }
  await requireThere(to, orgId);
  hooks.onProgress('leading requests to the other cell');
  await hooks.onSwitched(await routeOf(to, orgId));
  await dropReplication(from, slot);
  await setState(from, orgId, 'left');
}

/** The organization is missing if the other cell was restored from an older backup; then all of it is still here. */
async function requireThere(to: pg.Client, orgId: number): Promise<void> {
  const { rowCount } = await to.query('select from organizations where id = $1', [orgId]);
  if (rowCount === 0) {
    throw new AppError(
      'conflict',
      `Organization ${orgId} has moved, but the other cell has no data of it; do not erase it here`,
    );
  }
}

async function open(
  { from, to, orgId }: Pick<Cells, 'from' | 'to' | 'orgId'>,
  hooks: MoveHooks,
): Promise<void> {
  // The old cell has gone on for others since the switch, which is long ago if that run was killed.
  const { rows } = await from.query<{ row: string; alerts: string; silences: string }>(
    `select row_to_json(organization)::text as row,
       least(held_at - interval '1 minute', (select derived_to from alert_derivation))::text as alerts,
       least(held_at - interval '1 minute', (select derived_to from silence_derivation))::text as silences
     from organizations organization where id = $1`,
    [orgId],
  );
  const [left] = rows;
  if (left === undefined) {
    throw new Error('the organization was erased while it moved');
  }
  await to.query('begin');
  await copyUsers(from, to, orgId);
  await to.query(
    `insert into organizations overriding system value
     select * from json_populate_record(null::organizations, jsonb_set(jsonb_set($1::jsonb, '{deleted_at}', 'null'),
       '{held_at}', 'null')::json)`,
    [left.row],
  );
  // Deriving from evidence continues where the old cell stopped.
  await to.query(`select revise_alerts($1, 'organization', null, $2::timestamptz)`, [orgId, left.alerts]);
  await to.query(
    `select revise_silences(org_id, id, $2::timestamptz) from readers
     where org_id = $1 and deleted_at is null`,
    [orgId, left.silences],
  );
  await endConnections(to, orgId);
  await hooks.logArrival(to);
  await endMove(to, orgId);
  await to.query(`select pg_notify('access_changed', ''), pg_notify('registry_changed', '')`);
  await to.query('commit');
}
