import { expect } from 'chai';
import { Registry } from 'prom-client';
import { ORGANIZATION_LOCKS } from '../../../db/timescale/connections/advisory-locks.ts';
import { measureCellMoves } from '../../../services/mqtt-ingest/metrics/measures.ts';
import { useDatabase } from '../../support/database.ts';

describe('the metrics of moves between cells', () => {
  const database = useDatabase();

  it('name those that nobody is at', async () => {
    const registry = new Registry();
    measureCellMoves(registry, database.pool);
    const stalled = async () =>
      (await registry.getMetricsAsJSON()).flatMap(({ name, values }) =>
        name === 'tagtrail_cell_moves_stalled' ? values.map(({ labels }) => labels) : [],
      );
    expect(await stalled()).to.deep.equal([]);
    await database.rows(
      `insert into cell_moves (org_id, state, other_cell)
       values (7, 'held', 'b'), (8, 'following', 'b'), (9, 'left', 'b')`,
    );
    const mover = await database.pool.connect();
    await mover.query('select pg_advisory_lock($1, 8)', [ORGANIZATION_LOCKS.leavingCell]);
    expect(await stalled()).to.deep.equal([{ org: 7, state: 'held' }]);
    await mover.query('select pg_advisory_unlock($1, 8)', [ORGANIZATION_LOCKS.leavingCell]);
    mover.release();
    expect(await stalled()).to.deep.equal([
      { org: 7, state: 'held' },
      { org: 8, state: 'following' },
    ]);
  });
});
