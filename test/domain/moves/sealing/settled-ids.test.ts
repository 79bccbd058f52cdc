import { expect } from 'chai';
import pg from 'pg';
import { connectionConfig } from '../../../../db/timescale/connections/connection.ts';
import { SettledIds } from '../../../../domain/moves/sealing/sealer.ts';
import { useDatabase } from '../../../support/database.ts';
import { newOrganization, writeUnsealed } from '../../../support/unsealed.ts';

describe('ids up to which nobody can commit an event any more', () => {
  const database = useDatabase();
  let orgId: number;
  let open: pg.Client;

  beforeEach(async () => {
    orgId ??= await newOrganization(database);
    open = new pg.Client(connectionConfig(database.url, 'test'));
    await open.connect();
    await open.query('begin');
  });
  afterEach(() => open.end());

  const lastId = async () =>
    (await database.rows<{ id: number }>('select max(id) as id from unsealed_moves'))[0]?.id ?? 0;

  it('are none while none was drawn', async () => {
    const settled = new SettledIds();
    await settled.advance(database.pool);
    expect(settled.upTo).to.equal(0);
  });

  it('go on beside a transaction that draws none, however long it runs and whatever else it writes', async () => {
    await open.query(`insert into organizations (name) values ('never committed')`);
    const settled = new SettledIds();
    await writeUnsealed(database, orgId, 10);
    await settled.advance(database.pool);
    expect(settled.upTo).to.equal(await lastId());
  });

  it('wait for a transaction that has drawn one to end', async () => {
    const before = await lastId();
    await open.query(
      `insert into unsealed_moves (org_id, asset_id, kind, recorded_at) values ($1, 1, 'moved', now())`,
      [orgId],
    );
    const settled = new SettledIds();
    await writeUnsealed(database, orgId, 10);
    await settled.advance(database.pool);
    await settled.advance(database.pool);
    expect(settled.upTo).to.be.at.most(before);
    const drawn = await lastId();
    // One that comes later holds up the ids from its own on, and those before no longer.
    const later = new pg.Client(connectionConfig(database.url, 'test'));
    await later.connect();
    await later.query('begin');
    await later.query(`select nextval('unsealed_moves_id_seq')`);
    await open.query('commit');
    await settled.advance(database.pool);
    expect(settled.upTo).to.equal(drawn);
    await settled.advance(database.pool);
    expect(settled.upTo).to.equal(drawn);
    await later.query('rollback');
    await later.end();
    await settled.advance(database.pool);
    expect(settled.upTo).to.equal(drawn + 1);
  });
});
