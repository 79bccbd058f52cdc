import { expect } from 'chai';
import { createWritePool } from '../../../db/timescale/connections/pool.ts';
import { inTransaction } from '../../../db/timescale/connections/transaction.ts';
import type { Sighting } from '../../../domain/tracking/history/history.ts';
import { AlreadyStored } from '../../../domain/tracking/record.ts';
import type { Scan } from '../../../domain/tracking/scan.ts';
import { recordAtFirst, recordIn, waits } from '../../support/concurrently.ts';
import { useDatabase } from '../../support/database.ts';
import { Random } from '../../support/random.ts';
import { itByNight } from '../../support/random-sets.ts';
import { aRead, record, storedHistory, storedPosition } from '../../support/recording.ts';
import { historyByDefinition } from '../../support/sightings.ts';
import { Site } from '../../support/site.ts';

const START = Date.UTC(2026, 4, 1, 10) * 1_000;
const second = (count: number) => START + count * 1_000_000;

describe('recorders at work at the same time', () => {
  const database = useDatabase();
  let site: Site;
  let readerId: number;
  const locations: number[] = [];
  let count = 0;

  before(async () => {
    site = await Site.create(database);
    locations.push(await site.location('A'), await site.location('B'), await site.location('C'));
    readerId = await site.reader('dock', locations);
  });

  async function anAsset(): Promise<{ id: number; value: string }> {
    const value = `crate-${++count}`;
    return { id: await site.asset(value, value), value };
  }

  async function moveTag(from: { id: number; value: string }, to: { id: number }): Promise<void> {
    await database.rows('update tags set detached_at = now() where asset_id = $1', [from.id]);
    await site.tag({ assetId: to.id }, from.value);
  }

  const scanOf = (
    value: string,
    at: number,
    locationId = locations[0] ?? 0,
    rssi: number | null = null,
  ): Scan => aRead({ orgId: site.orgId, readerId, value, locationId, at, rssi });

  async function expectHistoryOf(assetId: number, scans: readonly Scan[]): Promise<void> {
    const sightings = scans.map(
      ({ receivedAt, locationId, rssi }): Sighting => ({
        observedAt: receivedAt,
        locationId: locationId ?? 0,
        rssi,
      }),
    );
    const expected = historyByDefinition(sightings);
    const last = expected.at(-1);
    expect(await storedHistory(database, assetId)).to.deep.equal(expected);
    expect(await storedPosition(database, assetId)).to.deep.equal({
      locationId: last?.locationId,
      since: last?.observedAt,
      lastSeen: Math.max(...sightings.map(({ observedAt }) => observedAt)),
    });
  }

  it('agree on an asset that none has seen', async () => {
    for (let round = 0; round < 25; round++) {
      const { id, value } = await anAsset();
      const scans = locations.map((location, index) => scanOf(value, second(index), location));
      await Promise.all(scans.map((scan) => recordAtFirst(database, [scan])));
      await expectHistoryOf(id, scans);
    }
  });

  it('wait for each other in one order, however many assets their batches have', async () => {
    const assets: { id: number; value: string }[] = [];
    while (assets.length < 600) {
      assets.push(await anAsset());
    }
    const scansFrom = (step: number, rssi: number) =>
      assets.flatMap(({ value }) => [
        scanOf(value, second(step), locations[0], rssi),
        scanOf(value, second(step + 1), locations[1], rssi),
      ]);
    await record(database, scansFrom(0, -60));
    for (let step = 2; step < 12; step += 2) {
      const both = [scansFrom(step, -60), scansFrom(step, -50).toReversed()];
      await Promise.all(both.map((scans) => recordAtFirst(database, scans)));
    }
    const [first] = assets;
    expect(await storedHistory(database, first?.id ?? 0)).to.have.length(12);
  });

  for (const [which, size, scansOfEach, rounds] of [
    ['small', 60, 1, 20],
    ['large', 600, 4, 3],
  ] as const) {
    const test = which === 'small' ? it : itByNight;
    test(`never wait in a circle for assets that none has seen, in ${which} batches`, async () => {
      const pool = createWritePool(database.url, { max: 8, applicationName: 'first-sightings' });
      const random = new Random(8, size);
      let retried = 0;
      try {
        for (let round = 0; round < rounds; round++) {
          const values = await database.rows<{ value: string }>(
            `with made as (
               insert into assets (org_id, external_key, name)
               select $1, gen_random_uuid()::text, 'New' from generate_series(1, $2::integer)
               returning id, external_key
             )
             insert into tags (org_id, asset_id, tag_type, value, tag_key)
             select $1, id, 'barcode', external_key, external_key from made returning value`,
            [site.orgId, size],
          );
          const batches = Array.from({ length: 8 }, (_, batch) =>
            values
              .filter(() => random.below(2) === 0)
              .flatMap(({ value }) =>
                Array.from(
                  { length: scansOfEach },
                  (__, index): Scan => ({
                    ...scanOf(value, second(batch * 10 + index), locations[index % 3]),
                    tagType: 'barcode',
                  }),
                ),
              ),
          );
          await Promise.all(
            batches.map((scans) =>
              inTransaction(pool, (client, attempt) => {
                retried += attempt > 1 ? 1 : 0;
                return recordIn(client, scans);
              }),
            ),
          );
        }
      } finally {
        await pool.end();
      }
      expect(retried).to.equal(0);
    });
  }

  it('count a scan once that both have', async () => {
    for (let round = 0; round < 25; round++) {
      const { id, value } = await anAsset();
      const scan = scanOf(value, START);
      const batches = await Promise.all([recordAtFirst(database, [scan]), recordAtFirst(database, [scan])]);
      const statuses = batches.flat().map(({ status }) => status);
      expect(statuses.toSorted()).to.deep.equal(['duplicate', 'recorded']);
      await expectHistoryOf(id, [scan]);
    }
  });

  it('keep the strongest copy, whoever has it', async () => {
    for (let round = 0; round < 25; round++) {
      const { id, value } = await anAsset();
      const copies = [-70, -60, null, -50].map((rssi) => scanOf(value, START, locations[0], rssi));
      await Promise.all(copies.map((scan) => recordAtFirst(database, [scan])));
      const rows = await database.rows('select rssi from scan_events where asset_id = $1', [id]);
      expect(rows).to.deep.equal([{ rssi: -50 }]);
    }
  });

  /** Batches over the same assets, locations and strangers, every other one in opposite order. */
  function crossingBatches(assets: readonly { value: string }[]): Scan[][] {
    return Array.from({ length: 60 }, (_, batch) => {
      const scans = assets.flatMap(({ value }, index) => {
        const scan = scanOf(value, second((batch * 7) % 60) + index, locations[(batch + index) % 3]);
        const stranger = { ...scan, value: `stranger-${(index * (batch + 1)) % 7}` };
        return index % 4 === 0 ? [scan, stranger] : [scan];
      });
      return batch % 2 === 0 ? scans : scans.toReversed();
    });
  }

  it('never wait in a circle, whatever order their batches have and whatever plan the database', async () => {
    const [{ name } = { name: '' }] = await database.rows<{ name: string }>(
      'select current_database() as name',
    );
    await database.rows(`alter database ${name} set enable_hashjoin = off`);
    await database.rows(`alter database ${name} set enable_mergejoin = off`);
    const nestedLoops = createWritePool(database.url, { max: 4 });
    for (const pool of [database.pool, nestedLoops]) {
      const assets: { id: number; value: string }[] = [];
      for (let index = 0; index < 20; index++) {
        assets.push(await anAsset());
      }
      const batches = crossingBatches(assets);
      // All at once would wait for one of four connections for longer than it may, on a slow machine.
      for (let at = 0; at < batches.length; at += 12) {
        const some = batches.slice(at, at + 12);
        await Promise.all(some.map((batch) => recordAtFirst({ ...database, pool }, batch)));
      }
      for (const { id, value } of assets) {
        await expectHistoryOf(
          id,
          batches.flat().filter((scan) => scan.value === value),
        );
      }
    }
    await nestedLoops.end();
  });

  it('share a location without waiting for each other, and an asset with its editor', async () => {
    const [one, other] = [await anAsset(), await anAsset()];
    await inTransaction(database.pool, async (client) => {
      await client.query('update assets set name = $2 where id = $1', [other.id, 'renamed']);
      await recordIn(client, [scanOf(one.value, START)]);
      const recording = recordAtFirst(database, [scanOf(other.value, START)]);
      expect(await waits(database, recording)).to.equal(false);
      await recording;
    });
    await expectHistoryOf(one.id, [scanOf(one.value, START)]);
    await expectHistoryOf(other.id, [scanOf(other.value, START)]);
  });

  it('share a location with its editor', async () => {
    const { id, value } = await anAsset();
    await inTransaction(database.pool, async (client) => {
      await client.query('update locations set name = $2 where id = $1', [locations[0], 'renamed']);
      const recording = recordAtFirst(database, [scanOf(value, START)]);
      expect(await waits(database, recording)).to.equal(false);
      await recording;
    });
    await expectHistoryOf(id, [scanOf(value, START)]);
  });

  it('list unknown tags without waiting for each other', async () => {
    await record(
      database,
      ['stranger-a', 'stranger-b'].map((value) => scanOf(value, START)),
    );
    const { waited, other } = await inTransaction(database.pool, async (client) => {
      await recordIn(client, [scanOf('stranger-c', second(1))]);
      const other = recordAtFirst(database, [
        scanOf('stranger-a', second(2)),
        scanOf('stranger-d', second(2)),
      ]);
      return { waited: await waits(database, other), other };
    });
    await other;
    expect(waited).to.equal(false);
  });

  it('wait for each other at an asset, so that the second knows what the first recorded', async () => {
    for (const isNew of [true, false]) {
      const { id, value } = await anAsset();
      const before = isNew ? [] : [scanOf(value, START)];
      if (!isNew) {
        await record(database, before);
      }
      const newest = scanOf(value, second(10));
      const late = scanOf(value, second(5), locations[1]);
      const { recording } = await inTransaction(database.pool, async (client) => {
        await recordIn(client, [newest]);
        const recording = recordAtFirst(database, [late]);
        expect(await waits(database, recording)).to.equal(true);
        return { recording };
      });
      await recording;
      await expectHistoryOf(id, [...before, newest, late]);
    }
  });

  it('count a read once whose tag was attached to another asset between them', async () => {
    const [one, other] = [await anAsset(), await anAsset()];
    const scan = scanOf(one.value, START);
    const { again } = await inTransaction(database.pool, async (client) => {
      await recordIn(client, [scan]);
      await moveTag(one, other);
      const again = record(database, [scan]);
      expect(await waits(database, again)).to.equal(true);
      return { again };
    });
    expect((await again).map(({ status }) => status)).to.deep.equal(['duplicate']);
    await expectHistoryOf(one.id, [scan]);
    expect(await storedHistory(database, other.id)).to.deep.equal([]);
  });

  it('ask to be run again, and leave nothing, where a scan turns out to be stored after all', async () => {
    const [one, other] = [await anAsset(), await anAsset()];
    const scan = scanOf(one.value, START);
    await record(database, [scan]);
    await record(database, [scanOf(other.value, START - 1)]);
    await moveTag(one, other);
    let error: unknown;
    await inTransaction(database.pool, (client) => recordIn(client, [scan])).catch((thrown) => {
      error = thrown;
    });
    expect(error).to.be.instanceOf(AlreadyStored);
    await expectHistoryOf(other.id, [scanOf(other.value, START - 1)]);
    expect((await record(database, [scan])).map(({ status }) => status)).to.deep.equal(['duplicate']);
    await expectHistoryOf(other.id, [scanOf(other.value, START - 1)]);
  });
});
