import { expect } from 'chai';
import type { PoolClient } from '../../../db/timescale/connections/client.ts';
import { sqlStateOf } from '../../../db/timescale/connections/sql-state.ts';
import { inTransaction } from '../../../db/timescale/connections/transaction.ts';
import type { Sighting } from '../../../domain/tracking/history/history.ts';
import { lockPositions } from '../../../domain/tracking/positions.ts';
import { RecentRepeats } from '../../../domain/tracking/recently-seen.ts';
import { AlreadyStored, recordScans } from '../../../domain/tracking/record.ts';
import type { Scan } from '../../../domain/tracking/scan.ts';
import { recordIn, waits } from '../../support/concurrently.ts';
import { useDatabase } from '../../support/database.ts';
import {
  aMemory,
  aRead,
  type Memory,
  RULES,
  record,
  storedHistory,
  storedPosition,
} from '../../support/recording.ts';
import { historyByDefinition } from '../../support/sightings.ts';
import { Site } from '../../support/site.ts';

const AT = Date.UTC(2026, 4, 1, 10) * 1_000;
const LATER = AT + 60_000_000;

describe('a read that arrives again after its tag was attached to another asset', () => {
  const database = useDatabase();
  const locations = { A: 0, B: 0 };
  const readers = { A: 0, B: 0 };
  let site: Site;
  let value = 'none yet';
  let first: number;
  let second: number;
  let assets = 0;

  before(async () => {
    site = await Site.create(database);
    for (const location of ['A', 'B'] as const) {
      locations[location] = await site.location(location);
      readers[location] = await site.reader(`at ${location}`, [locations[location]]);
    }
  });
  beforeEach(async () => {
    value = `E280AA${++assets}`;
    first = await site.asset(`first-${value}`, value);
    second = await site.asset(`second-${value}`);
  });

  const readAt = (location: 'A' | 'B', at: number, rssi: number | null = null): Scan =>
    aRead({
      orgId: site.orgId,
      readerId: readers[location],
      value,
      locationId: locations[location],
      at,
      rssi,
    });

  async function moveTag(assetId = second): Promise<void> {
    await database.rows('update tags set detached_at = now() where org_id = $1 and value = $2', [
      site.orgId,
      value,
    ]);
    await site.tag({ assetId }, value);
  }

  const statuses = async (...scans: Scan[]) => (await record(database, scans)).map(({ status }) => status);

  const locationsOf = async (assetId: number) =>
    (await storedHistory(database, assetId)).map(({ locationId }) =>
      locationId === locations.A ? 'A' : 'B',
    );

  const scansOf = (assetId: number) =>
    database.rows<Sighting>(
      `select micros_of_time(observed_at) as "observedAt", location_id as "locationId", rssi
       from scan_events where asset_id = $1 order by observed_at, location_id`,
      [assetId],
    );

  /** Its history and position are those of its stored scans, and of nothing else. */
  async function expectHistoryOfItsScans(assetId: number): Promise<void> {
    const scans = await scansOf(assetId);
    const expected = historyByDefinition(scans);
    const last = expected.at(-1);
    expect(await storedHistory(database, assetId)).to.deep.equal(expected);
    const position = await storedPosition(database, assetId);
    expect([position?.locationId ?? null, position?.since ?? null]).to.deep.equal([
      last?.locationId ?? null,
      last?.observedAt ?? null,
    ]);
    expect(position?.lastSeen ?? null).to.equal(scans.at(-1)?.observedAt ?? null);
  }

  it('leaves no second trace', async () => {
    const reads = [readAt('A', AT, -60), readAt('A', LATER)];
    await record(database, reads);
    await moveTag();
    expect(await statuses(...reads)).to.deep.equal(['duplicate', 'duplicate']);
    expect(await scansOf(second)).to.deep.equal([]);
    await expectHistoryOfItsScans(first);
    await expectHistoryOfItsScans(second);
  });

  it('leaves none beside new reads of the tag, which go to the other asset', async () => {
    await record(database, [readAt('A', AT)]);
    await moveTag();
    const outcomes = await record(database, [readAt('A', AT), readAt('B', LATER), readAt('A', AT)]);
    expect(outcomes.map(({ status }) => status)).to.deep.equal(['duplicate', 'recorded', 'duplicate']);
    expect(outcomes[1]).to.have.property('assetId', second);
    expect(await locationsOf(first)).to.deep.equal(['A']);
    expect(await locationsOf(second)).to.deep.equal(['B']);
    await expectHistoryOfItsScans(second);
  });

  it('leaves none where the other asset was last seen before it', async () => {
    await site.tag({ assetId: second }, `${value}FF`);
    await record(database, [{ ...readAt('B', AT), value: `${value}FF` }, readAt('A', LATER)]);
    await moveTag();
    expect(await statuses(readAt('A', LATER))).to.deep.equal(['duplicate']);
    expect(await locationsOf(second)).to.deep.equal(['B']);
    await expectHistoryOfItsScans(second);
  });

  it('leaves none when it comes from a handheld', async () => {
    const byHand: Scan = {
      ...readAt('A', AT),
      source: { kind: 'handheld', handheldId: 1, submissionId: value, index: 0 },
    };
    await record(database, [byHand]);
    await moveTag();
    expect(await statuses(byHand)).to.deep.equal(['duplicate']);
    expect(await scansOf(second)).to.deep.equal([]);
  });

  const others: [string, (() => Scan) | null][] = [
    ['never seen', null],
    ['seen since', () => readAt('B', LATER)],
    ['seen before', () => ({ ...readAt('B', AT - 1), value: `${value}FF` })],
  ];
  for (const [when, ownRead] of others) {
    it(`strengthens the scan of the asset that has it, the other one ${when}`, async () => {
      await record(database, [readAt('A', AT, -70), readAt('B', AT, -65)]);
      expect(await locationsOf(first)).to.deep.equal(['B']);
      await site.tag({ assetId: second }, `${value}FF`);
      await moveTag();
      await record(database, ownRead === null ? [] : [ownRead()], LATER);
      const before = await storedHistory(database, second);
      expect(await statuses(readAt('A', AT, -60))).to.deep.equal(['duplicate']);
      expect((await scansOf(first)).map(({ rssi }) => rssi)).to.deep.equal([-60, -65]);
      expect(await storedHistory(database, second)).to.deep.equal(before);
      await expectHistoryOfItsScans(second);
      expect(await locationsOf(first)).to.deep.equal(['A']);
      await expectHistoryOfItsScans(first);
    });
  }

  it('keeps the strongest copy also when the tag is moved on between two recorders', async () => {
    const third = await site.asset(`third-${value}`);
    await record(database, [readAt('A', AT, -70), readAt('B', AT, -65)]);
    await moveTag();
    const recordAgain = (client: PoolClient, rssi: number) =>
      recordIn(client, [readAt('A', AT, rssi)], { isCareful: true });
    const { weaker } = await inTransaction(database.pool, async (client) => {
      await recordAgain(client, -50);
      await moveTag(third);
      const weaker = inTransaction(database.pool, (other) => recordAgain(other, -60));
      expect(await waits(database, weaker)).to.equal(true);
      return { weaker };
    });
    expect((await weaker).map(({ status }) => status)).to.deep.equal(['duplicate']);
    expect((await scansOf(first)).map(({ rssi }) => rssi)).to.deep.equal([-50, -65]);
    for (const assetId of [first, second, third]) {
      await expectHistoryOfItsScans(assetId);
    }
  });

  /** Two assets that have exchanged their tags since each was read, and stronger copies of these reads. */
  async function exchangeTags(copies = 1): Promise<(rssi: number) => [Scan[], Scan[]]> {
    const other = `${value}FF`;
    await site.tag({ assetId: second }, other);
    const readsOf = (tag: string, rssi: number) =>
      Array.from({ length: copies }, (_, index) => ({ ...readAt('A', AT + index, rssi), value: tag }));
    await record(database, [...readsOf(value, -90), ...readsOf(other, -90)]);
    await moveTag();
    await database.rows(
      'update tags set detached_at = now() where org_id = $1 and value = $2 and asset_id = $3',
      [site.orgId, other, second],
    );
    await site.tag({ assetId: first }, other);
    return (rssi) => [readsOf(value, rssi), readsOf(other, rssi)];
  }

  /** How many attempts it took. */
  async function attemptsOf(scans: readonly Scan[], memory: Memory, isCareful = false): Promise<number> {
    return inTransaction(
      database.pool,
      async (client, attempt) => {
        const options = { rules: RULES, now: LATER, isCareful: isCareful || attempt > 1, ...memory };
        await recordScans(client, scans, options).catch((error) => {
          // Retried by inTransaction, but everybody has waited for a second by then.
          throw sqlStateOf(error) === '40P01' ? new Error('a deadlock', { cause: error }) : error;
        });
        return attempt;
      },
      (error) => error instanceof AlreadyStored,
    );
  }

  const knowing: [string, boolean][] = [
    ['that are careful', true],
    ['that expect repeats of moved tags', false],
  ];
  for (const [which, isCareful] of knowing) {
    it(`has two recorders ${which} lock both assets in one order`, async () => {
      const memory = { repeats: new RecentRepeats() };
      memory.repeats.note(true, isCareful ? [] : [site.orgId]);
      const [ofFirst, ofSecond] = (await exchangeTags())(-60);
      const { recordings } = await inTransaction(database.pool, async (client) => {
        await lockPositions(client, [{ orgId: site.orgId, assetId: first }]);
        const one = attemptsOf(ofSecond, memory, isCareful);
        expect(await waits(database, one)).to.equal(true);
        const recordings = Promise.all([one, attemptsOf(ofFirst, memory, isCareful)]);
        expect(await waits(database, recordings, 2)).to.equal(true);
        return { recordings };
      });
      expect(await recordings).to.deep.equal([1, 1]);
      for (const assetId of [first, second]) {
        expect((await scansOf(assetId)).map(({ rssi }) => rssi)).to.deep.equal([-60]);
        await expectHistoryOfItsScans(assetId);
      }
    });
  }

  it('has recorders that share nothing wait in no circle, and run the first batch again only', async () => {
    const copies = 5;
    const rounds = 40;
    const stronger = await exchangeTags(copies);
    const attempts = await Promise.all(
      [0, 1].map(async (which) => {
        const memory = aMemory();
        const taken: number[] = [];
        for (let round = 0; round < rounds; round++) {
          taken.push(await attemptsOf(stronger(-80 + round / 10)[which] ?? [], memory));
        }
        return taken;
      }),
    );
    const once = Array.from({ length: rounds - 1 }, () => 1);
    expect(attempts).to.deep.equal([
      [2, ...once],
      [2, ...once],
    ]);
    for (const assetId of [first, second]) {
      const strongest = -80 + (rounds - 1) / 10;
      expect((await scansOf(assetId)).map(({ rssi }) => rssi)).to.deep.equal(
        Array.from({ length: copies }, () => strongest),
      );
      await expectHistoryOfItsScans(assetId);
    }
  });

  it('is recorded again where its asset is found out only when others are locked', async () => {
    await site.tag({ assetId: second }, `${value}FF`);
    const { late } = await inTransaction(database.pool, async (client) => {
      await recordIn(client, [readAt('A', AT, -70), { ...readAt('B', AT), value: `${value}FF` }]);
      await moveTag();
      const late = attemptsOf([readAt('A', AT, -60)], {}, true);
      expect(await waits(database, late)).to.equal(true);
      return { late };
    });
    expect(await late).to.equal(2);
    expect((await scansOf(first)).map(({ rssi }) => rssi)).to.deep.equal([-60]);
    for (const assetId of [first, second]) {
      await expectHistoryOfItsScans(assetId);
    }
  });
});
