import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { databaseOn } from '../../../../db/timescale/connections/database.ts';
import type { Finding } from '../../../../domain/health/finding.ts';
import { CHANGES } from '../../../../domain/moves/sealing/queues.ts';
import { type SealingFault, SetAside } from '../../../../domain/moves/sealing/sealer.ts';
import { runCommand } from '../../../support/command-line.ts';
import { useDatabase } from '../../../support/database.ts';
import { sealAll } from '../../../support/seal-all.ts';
import { type Sealing, startSealing } from '../../../support/sealing.ts';
import { until } from '../../../support/subscribed-ingest.ts';
import { newOrganization, readSealed, writeUnsealed } from '../../../support/unsealed.ts';

describe('an event that cannot be sealed', () => {
  const database = useDatabase();
  let bad: number;
  let good: number;
  const running: Sealing[] = [];
  const faults: SealingFault[] = [];
  const mended: number[] = [];
  const start = () => {
    const sealing = startSealing(database.url, {
      onFault: (error) => {
        throw error;
      },
      onSetAside: (fault) => faults.push(fault),
      onMended: (orgId) => mended.push(orgId),
    });
    running.push(sealing);
    return sealing;
  };
  const stopAll = () => Promise.all(running.splice(0).map((each) => each.stop()));
  database.beforeDrop(stopAll);
  before(async () => {
    [bad, good] = [await newOrganization(database, 'Bad'), await newOrganization(database, 'Good')];
  });
  beforeEach(async () => {
    faults.length = 0;
    mended.length = 0;
    await database.empty('moves, move_heads, move_days, unsealed_moves, sealing_faults');
  });
  afterEach(stopAll);

  /** @returns the id of the row. */
  const spoil = async (orgId = bad) => {
    const [row] = await database.rows<{ id: number }>(
      `insert into unsealed_moves (org_id, asset_id, kind, recorded_at, duration_seconds)
       values ($1, 1, 'damaged', clock_timestamp(), -1) returning id`,
      [orgId],
    );
    return row?.id ?? 0;
  };
  const numbersOf = async (orgId: number) =>
    (await readSealed(database)).flatMap(({ org_id, number }) => (org_id === orgId ? [number] : []));
  const waiting = async () =>
    (await database.rows<{ count: number }>('select count(*) from unsealed_moves'))[0]?.count;
  const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);
  const mend = (id: number) => database.rows(`update unsealed_moves set kind = 'moved' where id = $1`, [id]);

  it("holds up those after it of its organization, those before it are told, and every other organization's", async () => {
    await writeUnsealed(database, bad, 700);
    await writeUnsealed(database, good, 300);
    const id = await spoil();
    await writeUnsealed(database, bad, 20);
    const sealing = start();
    await until(() => faults.length > 0);
    await writeUnsealed(database, good, 5);
    await until(async () => (await numbersOf(good)).length === 305);
    expect(await numbersOf(good)).to.deep.equal([...upTo(300), ...upTo(5)]);
    expect(await numbersOf(bad)).to.deep.equal(upTo(700));
    expect(await waiting()).to.equal(21);
    expect(faults.map(({ orgId, moveId }) => [orgId, moveId])).to.deep.equal([[bad, id]]);
    expect(sealing.figures().setAside).to.deep.equal([bad]);
    expect(sealing.figures().unsealed).to.equal(0);

    await mend(id);
    await until(async () => (await waiting()) === 0);
    expect(await numbersOf(bad)).to.deep.equal([...upTo(700), -1, ...upTo(20)]);
    await until(() => mended.length > 0);
    expect(mended).to.deep.equal([bad]);
    expect(sealing.figures().setAside).to.deep.equal([]);
    expect(await database.rows('select from sealing_faults')).to.deep.equal([]);
  });

  it('is named by doctor with its organization, which is not taken for a sealer that is missing', async () => {
    const id = await spoil();
    await database.rows(`update unsealed_moves set recorded_at = now() - interval '1 hour'`);
    await sealAll(database.url);
    const findings = async () => {
      const { stdout } = await runCommand(['doctor', '--json'], {
        ...{ DATABASE_URL: database.url, TAGTRAIL_DATA: join(tmpdir(), 'tagtrail-none') },
        ...{ API_PORT: '0', HANDHELD_PORT: '0', INGEST_PORT: '0' },
      });
      const said = JSON.parse(stdout) as { findings: Finding[] };
      return said.findings.filter(({ check }) => check === 'move feed');
    };
    const found = await findings();
    expect(found).to.have.lengthOf(1);
    expect(found[0]).to.include({ status: 'fault' });
    expect(found[0]?.message)
      .to.include(`Organization ${bad} (Bad): event ${id} cannot be sealed`)
      .and.include('moves__kind')
      .and.include('1 wait');
    await mend(id);
    await sealAll(database.url);
    expect((await findings()).map(({ status }) => status)).to.deep.equal(['ok']);
  });

  it('is found by the next sealer, and by each for itself where several organizations have one', async () => {
    const ids = [await spoil(), await spoil(good)];
    await writeUnsealed(database, bad, 3);
    const third = await newOrganization(database, 'Third');
    await writeUnsealed(database, third, 3);
    await sealAll(database.url);
    expect(await numbersOf(third)).to.deep.equal(upTo(3));
    start();
    await writeUnsealed(database, third, 1);
    await until(async () => (await numbersOf(third)).length === 4);
    await mend(ids[0] ?? 0);
    await until(async () => (await numbersOf(bad)).length === 4);
    expect(mended).to.deep.equal([bad]);
    expect(await numbersOf(bad)).to.deep.equal([-1, ...upTo(3)]);
    expect(await numbersOf(good)).to.deep.equal([]);
    expect(await database.rows('select org_id, move_id::integer from sealing_faults')).to.deep.equal([
      { org_id: good, move_id: ids[1] },
    ]);
  });

  it('stays stored while a change of the same organization is sealed again', async () => {
    await spoil();
    await sealAll(database.url);
    const [db, changes] = [databaseOn(database.pool), new SetAside(CHANGES)];
    await changes.load(db);
    expect(changes.orgIds).to.deep.equal([]);
    expect(await changes.add(db, { orgId: bad, error: null }, 0)).to.include({ orgId: bad });
    await changes.remove(db, bad);
    expect(changes.orgIds).to.deep.equal([]);
    expect(await database.rows('select org_id from sealing_faults')).to.deep.equal([{ org_id: bad }]);
  });

  it('of an organization that is gone holds up no other', async () => {
    const gone = 2_000_000;
    await writeUnsealed(database, gone, 2);
    start();
    // It has the lock before it listens.
    await until(async () => {
      await database.rows(`select pg_notify('moves_written', $1)`, [`${gone},${good}`]);
      return faults.length > 0;
    });
    await writeUnsealed(database, good, 2);
    await until(async () => (await numbersOf(good)).length === 2);
    expect(faults[0]).to.include({ orgId: gone });
    expect(await waiting()).to.equal(2);
  });
});
