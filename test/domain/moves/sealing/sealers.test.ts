import { expect } from 'chai';
import pg from 'pg';
import { ADVISORY_LOCKS } from '../../../../db/timescale/connections/advisory-locks.ts';
import { connectionConfig } from '../../../../db/timescale/connections/connection.ts';
import { useDatabase } from '../../../support/database.ts';
import { type Program, run } from '../../../support/process.ts';
import { itByNight } from '../../../support/random-sets.ts';
import { sealAll } from '../../../support/seal-all.ts';
import { type Sealing, startSealing } from '../../../support/sealing.ts';
import { newOrganization, readSealed, writeUnsealed } from '../../../support/unsealed.ts';
import { addCounters, findFaults, useCounters, writeContending } from './writers.ts';

describe('sealers', () => {
  const database = useDatabase();
  let organizations: number[];
  const programs: Program[] = [];

  before(async () => {
    organizations = [await newOrganization(database), await newOrganization(database)];
    await useCounters(database, organizations[0] as number);
    await addCounters(database, organizations[1] as number);
  });

  beforeEach(async () => {
    await database.empty('moves, move_heads, move_days, unsealed_moves');
    await database.rows('update counters set number = 0');
  });
  afterEach(async () => {
    for (const { child, ended } of programs.splice(0)) {
      child.kill('SIGKILL');
      await ended;
    }
  });

  itByNight('seal each event once and in order while they are killed and cut off', async () => {
    const stopped = new AbortController();
    let kills = 0;
    const killing = (async () => {
      start();
      start();
      while (!stopped.signal.aborted) {
        const holder = await holderOfLock();
        await untilSealed(40);
        if (kills % 2 === 0) {
          await database.rows('select pg_terminate_backend($1)', [holder]);
        } else {
          const [oldest] = programs.splice(0, 1);
          oldest?.child.kill('SIGKILL');
          start();
        }
        kills += 1;
      }
    })();
    await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        writeContending(database.url, organizations[index % 2] as number, 250),
      ),
    );
    stopped.abort();
    await killing;
    await untilNothingWaits();
    await expectNoFaults();
    expect(kills).to.be.at.least(4);
  });

  for (const [transaction, statement] of [
    ['that reads', 'select count(*) from organizations'],
    ['that writes', "insert into organizations (name) values ('never committed')"],
    ['that draws an id of an event', "select nextval('unsealed_moves_id_seq')"],
  ] as const) {
    it(`seal beside a transaction ${transaction} and does not end`, async () => {
      const old = new pg.Client(connectionConfig(database.url, 'test'));
      await old.connect();
      await old.query('begin isolation level repeatable read');
      await old.query(statement);
      const sealing = seal();
      await Promise.all(
        Array.from({ length: 8 }, (_, index) =>
          writeContending(database.url, organizations[index % 2] as number, 30),
        ),
      );
      await untilNothingWaits();
      await old.query('rollback');
      await old.end();
      await sealing.stop();
      await expectNoFaults();
    });
  }

  it('seal what an old transaction commits long after later events were sealed', async () => {
    const [orgId = 0] = organizations;
    const sealing = seal();
    const old = new pg.Client(connectionConfig(database.url, 'test'));
    await old.connect();
    await old.query('begin');
    await old.query(
      `insert into unsealed_moves (org_id, asset_id, kind, recorded_at, duration_seconds)
       values ($1, 99, 'moved', now(), 4711)`,
      [orgId],
    );
    // Over some looks of the sealer at who may still commit what.
    const since = performance.now();
    while (performance.now() - since < 3_500) {
      await writeUnsealed(database, orgId, 20);
      await untilNothingWaits();
    }
    await old.query('commit');
    await old.end();
    await untilNothingWaits();
    await sealing.stop();
    const sealed = await readSealed(database);
    expect(sealed.at(-1)).to.deep.include({ asset_id: 99, number: 4711, position: sealed.length });
  });

  it('are replaced when their process hangs', async () => {
    const [orgId = 0] = organizations;
    const { child, printed } = start();
    await printed('sealing');
    const other = start();
    child.kill('SIGSTOP');
    await writeUnsealed(database, orgId, 10);
    await other.printed('sealing');
    await untilNothingWaits();
    child.kill('SIGCONT');
    await printed('fault');
    await writeUnsealed(database, orgId, 10);
    await untilNothingWaits();
    const positions = (await readSealed(database)).map(({ position }) => position);
    expect(positions).to.deep.equal(Array.from({ length: 20 }, (_, index) => index + 1));
  });

  it('seal nothing while another has the lock', async () => {
    const [orgId = 0] = organizations;
    const holder = new pg.Client(connectionConfig(database.url, 'test'));
    await holder.connect();
    await holder.query('select pg_advisory_lock($1)', [ADVISORY_LOCKS.sealing]);
    const sealed = sealAll(database.url);
    await writeUnsealed(database, orgId, 10);
    const first = await Promise.race([sealed, database.rows('select pg_sleep(1)').then(() => 'waits')]);
    expect(first).to.equal('waits');
    expect(await readSealed(database)).to.deep.equal([]);
    await holder.end();
    expect(await sealed).to.equal(10);
  });

  function start(): Program {
    const program = run('test/domain/moves/sealing/sealer-program.ts', [], { DATABASE_URL: database.url });
    programs.push(program);
    return program;
  }

  function seal(): Sealing {
    return startSealing(database.url, {
      onFault: (error) => {
        throw error;
      },
    });
  }

  async function holderOfLock(): Promise<number> {
    for (;;) {
      const [row] = await database.rows<{ pid: number }>(
        `select pid from pg_locks join pg_database on pg_database.oid = database
         where datname = current_database() and locktype = 'advisory' and objid = $1 and granted`,
        [ADVISORY_LOCKS.sealing],
      );
      if (row !== undefined) {
        return row.pid;
      }
    }
  }

  /** Or until there is nothing more to seal. */
  async function untilSealed(more: number): Promise<void> {
    const count = async () => (await database.rows('select from moves')).length;
    const before = await count();
    while (
      (await count()) < before + more &&
      (await database.rows('select from unsealed_moves')).length > 0
    ) {
      await database.rows('select pg_sleep(0.02)');
    }
  }

  async function untilNothingWaits(): Promise<void> {
    while ((await database.rows('select from unsealed_moves limit 1')).length > 0) {
      await database.rows('select pg_sleep(0.02)');
    }
  }

  async function expectNoFaults(): Promise<void> {
    const [faults] = await findFaults(database);
    const { told, sealed, ...others } = faults ?? {};
    expect(others).to.deep.equal({
      waiting: 0,
      gaps: 0,
      missing_or_out_of_order: 0,
      back_in_time: 0,
      wrong_heads: 0,
    });
    expect(sealed).to.equal(told);
    expect(told).to.be.greaterThan(100);
  }
});
