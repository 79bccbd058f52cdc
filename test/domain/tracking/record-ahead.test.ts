import { expect } from 'chai';
import type { PoolClient } from '../../../db/timescale/connections/client.ts';
import type { LocatedScan } from '../../../domain/tracking/located-scan.ts';
import type { Position } from '../../../domain/tracking/positions.ts';
import { RecentlySeen } from '../../../domain/tracking/recently-seen.ts';
import type { Outcome, Scan } from '../../../domain/tracking/scan.ts';
import { recordIn, waits } from '../../support/concurrently.ts';
import { useDatabase } from '../../support/database.ts';
import {
  aMemory,
  aRead,
  type Memory,
  record,
  storedHistory,
  storedPosition,
} from '../../support/recording.ts';
import { Site } from '../../support/site.ts';

const START = Date.UTC(2026, 4, 1, 10) * 1_000;
const second = (count: number) => START + count * 1_000_000;

describe('scans that are newer than all that was recorded of their assets', () => {
  const database = useDatabase();
  let site: Site;
  let readerId: number;
  let a: number;
  let b: number;
  let crates = 0;
  let value: string;
  let assetId: number;
  let memory: Memory;

  before(async () => {
    site = await Site.create(database);
    [a, b] = [await site.location('A'), await site.location('B')];
    readerId = await site.reader('dock', [a, b]);
  });

  /** A crate that was at A from 0 s on, as this process has recorded. */
  beforeEach(async () => {
    value = `crate-${++crates}`;
    assetId = await site.asset(value, value);
    memory = aMemory();
    await recordRemembering([scan(0, a)]);
  });

  const scan = (at: number, locationId: number, antenna = 1): Scan =>
    aRead({ orgId: site.orgId, readerId, value, locationId, at: second(at), antenna });

  const recordRemembering = (scans: readonly Scan[], by = memory) =>
    record(database, scans, second(1_000), by);

  const statusesOf = (outcomes: readonly Outcome[]) => outcomes.map(({ status }) => status);

  const stays = async () =>
    (await storedHistory(database, assetId)).map(({ observedAt, locationId }) => [
      (observedAt - START) / 1_000_000,
      locationId,
    ]);

  /** Whether the recorder that waits for a position has written raw scans by then. */
  async function hasWrittenAhead(): Promise<boolean> {
    const rows = await database.rows(
      `select from pg_locks held join pg_locks wanted on wanted.pid = held.pid and not wanted.granted
       where held.relation = 'scan_events'::regclass and held.mode = 'RowExclusiveLock' and held.database =
         (select oid from pg_database where datname = current_database())`,
    );
    return rows.length > 0;
  }

  /** Has `scans` recorded while another transaction has the position, after it has done `first`. */
  async function meanwhile(
    first: (client: PoolClient) => Promise<unknown>,
    scans: readonly Scan[],
  ): Promise<{ outcomes: Outcome[]; isAhead: boolean }> {
    const client = await database.pool.connect();
    try {
      await client.query('begin');
      await first(client);
      const recording = recordRemembering(scans);
      expect(await waits(database, recording)).to.equal(true);
      const isAhead = await hasWrittenAhead();
      await client.query('commit');
      return { outcomes: await recording, isAhead };
    } finally {
      client.release();
    }
  }

  it('are written before their positions are waited for', async () => {
    const taking = (client: PoolClient) => recordIn(client, [scan(10, a)]);
    const { outcomes, isAhead } = await meanwhile(taking, [scan(20, b), scan(30, a)]);
    expect(isAhead).to.equal(true);
    expect(statusesOf(outcomes)).to.deep.equal(['recorded', 'recorded']);
    expect(await stays()).to.deep.equal([
      [0, a],
      [20, b],
      [30, a],
    ]);
  });

  it('are not where nothing is remembered of the asset, or something as new', async () => {
    const taking = (client: PoolClient) => recordIn(client, [scan(10, a)]);
    expect((await meanwhile(taking, [scan(0, b, 2)])).isAhead).to.equal(false);
    memory = aMemory();
    expect((await meanwhile((client) => recordIn(client, [scan(12, a)]), [scan(20, b)])).isAhead).to.equal(
      false,
    );
  });

  it('are worked in as late ones where another was faster, and its asset is waited for next time', async () => {
    const overtaking = (client: PoolClient) => recordIn(client, [scan(15, b), scan(40, a)]);
    const { outcomes, isAhead } = await meanwhile(overtaking, [
      scan(10, a),
      scan(20, a),
      scan(30, b),
      scan(50, b),
    ]);
    expect(isAhead).to.equal(true);
    expect(statusesOf(outcomes)).to.deep.equal(['recorded', 'recorded', 'recorded', 'recorded']);
    expect(await stays()).to.deep.equal([
      [0, a],
      [15, b],
      [20, a],
      [30, b],
      [40, a],
      [50, b],
    ]);
    expect((await storedPosition(database, assetId))?.lastSeen).to.equal(second(50));
    const taking = (client: PoolClient) => recordIn(client, [scan(60, b)]);
    expect((await meanwhile(taking, [scan(70, b)])).isAhead).to.equal(false);
  });

  it('are found to be repeats by beginning anew, once in many batches', async () => {
    const elsewhere = aMemory();
    await recordRemembering([scan(10, b), scan(20, a)], elsewhere);
    expect(statusesOf(await recordRemembering([scan(10, b), scan(15, b)]))).to.deep.equal([
      'duplicate',
      'recorded',
    ]);
    expect(await stays()).to.deep.equal([
      [0, a],
      [10, b],
      [20, a],
    ]);
    const taking = (client: PoolClient) => recordIn(client, [scan(30, a)]);
    expect((await meanwhile(taking, [scan(40, a)])).isAhead).to.equal(false);
  });

  it('are repeats of the asset that had their tag before, too', async () => {
    await recordRemembering([scan(10, b)]);
    const next = await site.asset(`next-${value}`, `other-${value}`);
    await recordRemembering([{ ...scan(5, a), value: `other-${value}` }]);
    await database.rows('update tags set detached_at = now() where asset_id = $1', [assetId]);
    await site.tag({ assetId: next }, value);
    expect(statusesOf(await recordRemembering([scan(10, b), scan(20, b)]))).to.deep.equal([
      'duplicate',
      'recorded',
    ]);
    expect(await stays()).to.deep.equal([
      [0, a],
      [10, b],
    ]);
    expect((await storedHistory(database, next)).map(({ observedAt }) => observedAt)).to.deep.equal([
      second(5),
      second(20),
    ]);
  });
});

describe('what is remembered of when assets were last seen', () => {
  const position = ({ orgId, assetId }: LocatedScan, lastSeen: number | null): Position => ({
    orgId,
    assetId,
    stay: null,
    lastSeen,
    positionAt: null,
    lockedAt: 0,
    row: '(0,1)',
    writer: '1',
    transaction: '2',
  });
  const scan = (assetId: number, observedAt: number, orgId = 1): LocatedScan => ({
    ...{ orgId, assetId, observedAt, locationId: 1, tagValue: 'x', timeIsReceived: false },
    scan: aRead({ orgId, readerId: 1, value: 'x', locationId: 1, at: observedAt }),
  });
  const assetsOf = (orgId: number, count: number) =>
    Array.from({ length: count }, (_, index) => scan(index + 1, 5, orgId));
  const newer = (scans: readonly LocatedScan[]) => scans.map(({ orgId, assetId }) => scan(assetId, 6, orgId));
  const note = (
    seen: RecentlySeen,
    scans: LocatedScan[],
    lastSeen: number | null,
    ahead: LocatedScan[] = [],
  ) =>
    seen.note(
      scans.map((each) => ({
        position: position(each, lastSeen),
        scans: [each],
        fresh: 1,
        isInOrder: lastSeen === null || each.observedAt > lastSeen,
      })),
      new Set(ahead),
    );

  it('lets scans of an asset be written ahead again after a hundred that were not', () => {
    const seen = new RecentlySeen();
    const overtaken = scan(1, 5);
    note(seen, [overtaken], 10, [overtaken]);
    const choices = Array.from({ length: 102 }, (_, index) => seen.choose([scan(1, 20 + index)]).length);
    expect(choices.lastIndexOf(0)).to.equal(99);
    expect(choices.slice(100)).to.deep.equal([1, 1]);
  });

  it('has those of an organization written behind their positions for a thousand batches after a repeat', () => {
    const seen = new RecentlySeen();
    note(seen, [scan(1, 5), scan(1, 5, 2)], null);
    seen.noteRepeats([scan(1, 20)]);
    const choices = Array.from({ length: 1_001 }, () =>
      seen.choose([scan(1, 20), scan(1, 20, 2)]).map(({ orgId }) => orgId),
    );
    expect(choices.findIndex((orgIds) => orgIds.includes(1))).to.equal(1_000);
    expect(choices.filter((orgIds) => orgIds.includes(2))).to.have.length(1_001);
  });

  it('takes no repeat amiss that would not have been written ahead', () => {
    const seen = new RecentlySeen();
    note(seen, [scan(1, 5)], null);
    seen.noteRepeats([scan(1, 5), scan(2, 20)]);
    expect(seen.choose([scan(1, 6)])).to.have.length(1);
  });

  it('never grows beyond 100,000 assets, and lets no organization push out what is of others', () => {
    const seen = new RecentlySeen();
    const of = [assetsOf(1, 1_000), assetsOf(2, 60_000), assetsOf(3, 39_000)] as const;
    note(seen, of.flat(), null);
    expect(seen.choose(newer(of.flat()))).to.have.length(100_000);
    note(seen, [scan(60_001, 5, 2)], null);
    const chosen = seen.choose(newer([...of.flat(), scan(60_001, 5, 2)]));
    expect([1, 2, 3].map((orgId) => chosen.filter((each) => each.orgId === orgId).length)).to.deep.equal([
      1_000, 1, 39_000,
    ]);
  });

  it('forgets of many small organizations no more than half', () => {
    const seen = new RecentlySeen();
    const of = Array.from({ length: 10 }, (_, index) => assetsOf(index + 1, 10_000)).flat();
    note(seen, [...of, scan(1, 5, 11)], null);
    expect(seen.choose(newer(of))).to.have.length(50_000);
  });
});
