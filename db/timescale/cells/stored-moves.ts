import type pg from 'pg';

/** In their order at the old cell; the switch is at `moved`, and all is done at `left`. At the new one: `arriving`. */
export type MoveState = 'copying' | 'following' | 'held' | 'moved' | 'left' | 'arriving';

export interface StoredMove {
  state: MoveState;
  other_cell: string;
  /** For an arriving organization. */
  applied: string | null;
}

export async function findMove(client: pg.ClientBase, orgId: number): Promise<StoredMove | null> {
  const { rows } = await client.query<StoredMove>(
    `select state, other_cell, applied::text from cell_moves where org_id = $1`,
    [orgId],
  );
  return rows[0] ?? null;
}

export async function beginMove(client: pg.ClientBase, orgId: number, otherCell: string): Promise<void> {
  await client.query(`insert into cell_moves (org_id, state, other_cell) values ($1, 'copying', $2)`, [
    orgId,
    otherCell,
  ]);
}

export async function beginArrival(
  client: pg.ClientBase,
  orgId: number,
  { otherCell, applied }: { otherCell: string; applied: string },
): Promise<void> {
  await client.query(
    `insert into cell_moves (org_id, state, other_cell, applied) values ($1, 'arriving', $2, $3::pg_lsn)`,
    [orgId, otherCell, applied],
  );
}

export async function setState(client: pg.ClientBase, orgId: number, state: MoveState): Promise<void> {
  await client.query('update cell_moves set state = $2 where org_id = $1', [orgId, state]);
}

export async function setApplied(client: pg.ClientBase, orgId: number, applied: string): Promise<void> {
  await client.query('update cell_moves set applied = $2::pg_lsn where org_id = $1', [orgId, applied]);
}

export async function endMove(client: pg.ClientBase, orgId: number): Promise<void> {
  await client.query('delete from cell_moves where org_id = $1', [orgId]);
}
