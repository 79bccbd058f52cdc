import { expect } from 'chai';
import { inTransaction } from '../../../db/timescale/connections/transaction.ts';
import { RecentReadings } from '../../../domain/tracking/recent-readings.ts';
import { RecentRepeats } from '../../../domain/tracking/recently-seen.ts';
import { AlreadyStored, recordScans } from '../../../domain/tracking/record.ts';
import type { Outcome, Scan } from '../../../domain/tracking/scan.ts';
import { waits } from '../../support/concurrently.ts';
import { useDatabase } from '../../support/database.ts';
import { type Measured, MeasuredClient } from '../../support/measured-client.ts';
import { aRead, RULES, record, storedHistory } from '../../support/recording.ts';
import { Site } from '../../support/site.ts';

const START = Date.UTC(2026, 4, 1, 10) * 1_000;
const second = (count: number) => START + count * 1_000_000;

describe('repeats of late scans that change no history', () => {
  const database = useDatabase();
  let site: Site;
  let readerId: number;
  let a: number;
  let b: number;
  let crates = 0;
  let value: string;
  let assetId: number;

  before(async () => {
    site = await Site.create(database);
    [a, b] = [await site.location('A'), await site.location('B')];
    readerId = await site.reader('dock', [a, b]);
  });

  /** A crate that was at A from 0 s, at B from 60 s and at A from 120 s on, last seen at 180 s. */
  beforeEach(async () => {
    value = `crate-${++crates}`;
    assetId = await site.asset(value, value);
    await record(database, [scan(0, a), scan(60, b), scan(120, a), scan(180, a)]);
  });

  const scan = (at: number, locationId: number, rssi: number | null = null): Scan =>
    aRead({ orgId: site.orgId, readerId, value, locationId, at: second(at), rssi });

  const stored = () =>
    database.rows<{ at: number; rssi: number | null }>(
      `select (micros_of_time(observed_at) - $2) / 1000000 as at, rssi from scan_events
       where asset_id = $1 order by observed_at`,
      [assetId, START],
    );

  /** As ingestion does. @returns outcomes and attempts. */
  async function remembering(
    repeats: RecentRepeats,
    scans: readonly Scan[],
    recent = new RecentReadings(),
  ): Promise<[Outcome[], number]> {
    const measured = recent.begin();
    const recorded = await inTransaction(
      database.pool,
      async (client, attempt): Promise<[Outcome[], number]> => {
        const options = { rules: RULES, now: second(200), isCareful: attempt > 1, repeats, measured };
        return [(await recordScans(client, scans, options)).outcomes, attempt];
      },
      (error) => error instanceof AlreadyStored,
    );
    measured.commit();
    return recorded;
  }

  function expecting(): RecentRepeats {
    const repeats = new RecentRepeats();
    repeats.note(true);
    return repeats;
  }

  /** The statements that look for stored scans and transitions, of an attempt that is rolled back. */
  async function measuredOf(
    scans: readonly Scan[],
    repeats?: RecentRepeats,
  ): Promise<ReadonlyMap<string, Measured>> {
    const measured = await MeasuredClient.connect(database.url);
    try {
      const options = { rules: RULES, now: second(200), isCareful: false };
      const found = await measured.measure((client) =>
        recordScans(client, scans, repeats === undefined ? options : { ...options, repeats }),
      );
      return new Map([...found].filter(([name]) => /^(near|known|load)-/.test(name)));
    } finally {
      await measured.client.end();
    }
  }

  const statusesOf = (outcomes: readonly Outcome[]) => outcomes.map(({ status }) => status);

  it('are duplicates, of which the strongest stays', async () => {
    for (const at of [30, 90, 150]) {
      const locationId = at === 90 ? b : a;
      expect(statusesOf(await record(database, [scan(at, locationId, -70)]))).to.deep.equal(['recorded']);
      for (const rssi of [-70, -60, -80]) {
        const outcomes = await record(database, [scan(at, locationId, rssi), scan(at + 1, locationId, rssi)]);
        expect(statusesOf(outcomes)).to.deep.equal(['duplicate', rssi === -70 ? 'recorded' : 'duplicate']);
      }
    }
    expect(await stored()).to.deep.equal([
      { at: 0, rssi: null },
      { at: 30, rssi: -60 },
      { at: 31, rssi: -60 },
      { at: 60, rssi: null },
      { at: 90, rssi: -60 },
      { at: 91, rssi: -60 },
      { at: 120, rssi: null },
      { at: 150, rssi: -60 },
      { at: 151, rssi: -60 },
      { at: 180, rssi: null },
    ]);
    expect(await storedHistory(database, assetId)).to.have.length(3);
  });

  it('are expected after one was found, and take no second attempt then', async () => {
    const repeats = new RecentRepeats();
    const late = scan(30, a);
    const attempts: number[] = [];
    for (const scans of [[late], [late], [late], [scan(31, a)], [late, scan(32, a)]]) {
      const [outcomes, attempt] = await remembering(repeats, scans);
      attempts.push(attempt);
      expect(outcomes).to.have.length(scans.length);
    }
    expect(attempts).to.deep.equal([1, 2, 1, 1, 1]);
    expect((await stored()).map(({ at }) => at)).to.deep.equal([0, 30, 31, 32, 60, 120, 180]);
  });

  describe('of what a tag measured', () => {
    const temperatures = () =>
      database.rows('select temperature_c from tag_readings where asset_id = $1 order by observed_at', [
        assetId,
      ]);
    const measures = (at: number, reader: number, temperature_c: number): Scan => ({
      ...aRead({ orgId: site.orgId, readerId: reader, value, locationId: a, at: second(at) }),
      readings: { temperature_c },
    });

    it('take no second attempt where one process reads an instant by two readers, or late', async () => {
      const [repeats, recent, other] = [
        new RecentRepeats(),
        new RecentReadings(),
        await site.reader('door', [a]),
      ];
      const attempts: number[] = [];
      for (const [at, reader, temperature] of [
        [190, readerId, 4],
        [190, other, 5],
        [191, other, 6],
        [191, readerId, 3],
        [185, readerId, 2],
      ] as const) {
        attempts.push((await remembering(repeats, [measures(at, reader, temperature)], recent))[1]);
      }
      expect(attempts).to.deep.equal([1, 1, 1, 1, 1]);
      expect(await temperatures()).to.deep.equal([2, 5, 6].map((temperature_c) => ({ temperature_c })));
    });

    it('take a second attempt once an hour of a tag that another process reads, too', async () => {
      const [repeats, recent, theirs] = [new RecentRepeats(), new RecentReadings(), new RecentReadings()];
      const other = await site.reader('window', [a]);
      const attempts: number[] = [];
      for (const [at, temperature] of [
        [192, 4],
        [193, 5],
        [194, 6],
      ] as const) {
        await remembering(repeats, [measures(at, readerId, temperature)], theirs);
        attempts.push((await remembering(repeats, [measures(at, other, temperature + 1)], recent))[1]);
      }
      expect(attempts).to.deep.equal([2, 1, 1]);
      expect((await temperatures()).slice(-3)).to.deep.equal(
        [5, 6, 7].map((temperature_c) => ({ temperature_c })),
      );
    });
  });

  it('are not looked for otherwise', async () => {
    const taken = async (scans: readonly Scan[], repeats?: RecentRepeats) => [
      ...(await measuredOf(scans, repeats)).keys(),
    ];
    expect(await taken([scan(150, a)])).to.deep.equal([]);
    expect(await taken([scan(150, a)], new RecentRepeats())).to.deep.equal([]);
    expect(await taken([scan(30, a)], new RecentRepeats())).to.deep.equal(['near-transitions']);
    expect(await taken([scan(150, a)], expecting())).to.deep.equal(['near-scans']);
  });

  it('are looked for at their own instants only', async () => {
    const rows = async (each: Scan) => (await measuredOf([each], expecting())).get('near-scans')?.rows;
    expect(await rows(scan(150, a))).to.be.below((await rows(scan(150, b))) ?? 0);
  });

  it('are found by the look-ups that others take, wherever in the history these are', async () => {
    expect([...(await measuredOf([scan(150, b)])).keys()]).to.deep.equal(['near-scans']);
    const elsewhere = [scan(30, b), scan(90, a), scan(150, b)];
    expect([...(await measuredOf(elsewhere)).keys()]).to.deep.equal(['near-transitions', 'near-scans']);
  });

  it('have no transitions after them looked up where a stay begins at their instant', async () => {
    const rows = async (each: Scan) => (await measuredOf([each])).get('near-transitions')?.rows;
    expect(await rows(scan(60, a))).to.be.below((await rows(scan(61, a))) ?? 0);
  });

  it('are expected of assets that had the tags before, in the same organization, after one was found', async () => {
    const repeats = new RecentRepeats();
    const next = await site.asset(`next-${value}`);
    await database.rows('update tags set detached_at = now() where asset_id = $1', [assetId]);
    await site.tag({ assetId: next }, value);
    const attempts: number[] = [];
    for (const at of [0, 60, 0, 120]) {
      const [outcomes, attempt] = await remembering(repeats, [scan(at, a, -50), scan(300 + at, a)]);
      expect(outcomes.map(({ status }) => status)).to.deep.equal([
        'duplicate',
        at === 0 && attempt === 1 ? 'duplicate' : 'recorded',
      ]);
      attempts.push(attempt);
    }
    expect(attempts).to.deep.equal([2, 1, 1, 1]);
    expect((await stored()).map(({ at, rssi }) => [at, rssi])).to.deep.equal([
      [0, -50],
      [60, null],
      [120, -50],
      [180, null],
    ]);
    const other = await Site.create(database, 'Other');
    await other.asset('crate', value);
    const others = { ...scan(0, await other.location('A')), orgId: other.orgId };
    expect([...(await measuredOf([others], repeats)).keys()]).to.deep.equal([]);
    expect([...(await measuredOf([scan(500, a)], repeats)).keys()]).to.deep.equal(['known-scans-by-reader']);
  });

  it('are found by whoever comes second, where two record them at the same time', async () => {
    const late = [scan(30, a), scan(90, b), scan(150, a)];
    const client = await database.pool.connect();
    try {
      await client.query('begin');
      const options = { rules: RULES, now: second(200), isCareful: false };
      const { outcomes } = await recordScans(client, late, options);
      expect(statusesOf(outcomes)).to.deep.equal(['recorded', 'recorded', 'recorded']);
      const other = record(database, late);
      expect(await waits(database, other)).to.equal(true);
      await client.query('commit');
      expect(statusesOf(await other)).to.deep.equal(['duplicate', 'duplicate', 'duplicate']);
    } finally {
      client.release();
    }
    expect(await stored()).to.have.length(7);
  });

  it('are told from what makes a stay begin elsewhere by being stronger at its first instant', async () => {
    await record(database, [
      { ...scan(60, a, -50), source: { ...scan(60, a).source, antenna: 2 } as Scan['source'] },
    ]);
    expect(await storedHistory(database, assetId)).to.deep.equal([
      { observedAt: second(0), locationId: a, durationSeconds: null },
    ]);
  });
});

describe('late scans of the last day', () => {
  const database = useDatabase();

  it('are looked up in as few pages where one of last month is among them', async () => {
    const DAY = 86_400;
    const site = await Site.create(database);
    const [a, b] = [await site.location('A'), await site.location('B')];
    const readerId = await site.reader('dock', [a, b]);
    const values = Array.from({ length: 20 }, (_, crate) => `crate-${crate}`);
    const scan = (of: string, at: number, locationId: number) =>
      aRead({ orgId: site.orgId, readerId, value: of, locationId, at: second(at) });
    for (const each of values) {
      await site.asset(each, each);
    }
    // Each day is a chunk of a hypertable.
    for (let day = 0; day <= 28; day++) {
      await record(
        database,
        values.flatMap((each) => [0, 60].map((at) => scan(each, day * DAY + at, day % 2 === 0 ? a : b))),
      );
    }
    const late = values.flatMap((each) => [scan(each, 28 * DAY + 30, b), scan(each, 27 * DAY + 30, b)]);
    const pagesOf = async (scans: readonly Scan[]) => {
      const measured = await MeasuredClient.connect(database.url);
      try {
        const options = { rules: RULES, now: second(28 * DAY + 200), isCareful: false };
        const found = await measured.measure((client) => recordScans(client, scans, options));
        return ['near-transitions', 'near-scans'].map((name) => found.get(name)?.pages ?? Number.NaN);
      } finally {
        await measured.client.end();
      }
    };
    const [transitions = 0, scans = 0] = await pagesOf(late);
    const [more = 0, moreScans = 0] = await pagesOf([...late, scan(values[0] ?? '', DAY + 30, a)]);
    expect(more - transitions).to.be.within(1, 200);
    expect(moreScans - scans).to.be.within(1, 200);
  });
});

describe('repeats that are expected', () => {
  it('are no more after a thousand batches without any', () => {
    const repeats = new RecentRepeats();
    expect(repeats.areExpected()).to.equal(false);
    repeats.note(true);
    for (let batch = 0; batch < 1_000; batch++) {
      expect(repeats.areExpected()).to.equal(true);
      repeats.note(false);
    }
    expect(repeats.areExpected()).to.equal(false);
  });

  it('are of moved tags no more after a thousand batches without any, of each organization by itself', () => {
    const repeats = new RecentRepeats();
    repeats.note(true, [1, 2]);
    for (let batch = 0; batch < 1_000; batch++) {
      expect([1, 2, 3].map((orgId) => repeats.areOfMovedTags(orgId))).to.deep.equal([true, true, false]);
      repeats.note(false, batch === 500 ? [2] : []);
    }
    expect([1, 2].map((orgId) => repeats.areOfMovedTags(orgId))).to.deep.equal([false, true]);
  });
});
