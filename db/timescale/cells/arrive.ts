import type pg from 'pg';
import type { Cells, MoveHooks } from './cells.ts';
import { copyUsers } from './moved-users.ts';
import { dropReplication } from './replication.ts';
import { routeOf } from './route.ts';
import { endMove, setState } from './stored-moves.ts';

/** What it takes before anything is written there. */
export async function prepare({ from, to, orgId, tables }: Cells): Promise<void> {
  await to.query('begin');
  await copyUsers(from, to, orgId);
  for (const { sequence } of tables.flatMap(({ sequences }) => sequences)) {
    await raiseSequence(from, to, sequence);
  }
  await to.query('commit');
}

/** Past what the organization has; unless the cells draw from different ranges, so that none can be drawn twice. */
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
  const { rows } = await from.query<{ row: string; alerts: string | null; silences: string | null }>(
    `select row_to_json(organization)::text as row, (select derived_to::text from alert_derivation) as alerts,
       (select derived_to::text from silence_derivation) as silences
     from organizations organization where id = $1`,
    [orgId],
  );
  const [left] = rows;
  if (left === undefined) {
    throw new Error('the organization was erased while it moved');
  }
  await to.query('begin');
  await to.query(
    `insert into organizations overriding system value
     select * from json_populate_record(null::organizations, jsonb_set(jsonb_set($1::jsonb, '{deleted_at}', 'null'),
       '{held_at}', 'null')::json)
     on conflict (id) do nothing`,
    [left.row],
  );
  // What follows from evidence is derived on from where the old cell was.
  await to.query(`select revise_alerts($1, 'organization', null, $2::timestamptz) where $2 is not null`, [
    orgId,
    left.alerts,
  ]);
  await to.query(
    `select revise_silences(org_id, id, $2::timestamptz) from readers
     where org_id = $1 and deleted_at is null and $2 is not null`,
    [orgId, left.silences],
  );
  // Readers have to come here first; until then none counts as connected.
  await to.query('delete from reader_connections where org_id = $1', [orgId]);
  await endMove(to, orgId);
  await to.query(`select pg_notify('access_changed', ''), pg_notify('registry_changed', '')`);
  await to.query('commit');
  await hooks.onSwitched(await routeOf(to, orgId));
  await dropReplication(from, slot);
  await setState(from, orgId, 'left');
}
