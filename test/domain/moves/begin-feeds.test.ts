import { expect } from 'chai';
import pg from 'pg';
import { connectionConfig } from '../../../db/timescale/connections/connection.ts';
import { beginFeeds } from '../../../domain/moves/begin-feeds.ts';
import { startFeed } from '../../../domain/moves/start-feed.ts';
import { type Sealing, sealAll, startSealing } from '../../../domain/moves/start-sealing.ts';
import { useDatabase } from '../../support/database.ts';
import { type FeedMove, folded } from '../../support/fold.ts';
import { aRead, record, storedHistory } from '../../support/recording.ts';
import { Site } from '../../support/site.ts';
import { until } from '../../support/subscribed-ingest.ts';

const START = Date.UTC(2026, 4, 1, 10) * 1_000_000;
const minute = (count: number) => START + count * 60_000_000;

describe('histories from before the feed', () => {
  const database = useDatabase();
  let site: Site;
  let readerId: number;
  let locations: number[];
  let assets: { id: number; value: string }[];
  let sealing: Sealing | null = null;

  beforeEach(async () => {
    site = await Site.create(database);
    readerId = await site.reader(`gate-${site.orgId}`, [null]);
    locations = [await site.location('A'), await site.location('B'), await site.location('C')];
    assets = [];
    for (let number = 0; number < 30; number++) {
      const value = `asset-${number}`;
      assets.push({ id: await site.asset(value, value), value });
    }
    await moveAbout(0, 12);
  });

  afterEach(async () => {
    await sealing?.stop();
    sealing = null;
  });

  it('are in it as they are, at once, in as many parts as they are long', async () => {
    const [long] = assets;
    await database.rows(
      `insert into location_transitions (org_id, asset_id, observed_at, location_id)
       select $1, $2, time_of_micros($3) - number * interval '1 minute', $4 from generate_series(1, 2500) number`,
      [site.orgId, long?.id, START, locations[0]],
    );
    await takeOutOfFeed();
    sealing = seal();
    const [begun] = await beginFeeds(database.url);
    expect(begun).to.deep.include({ orgId: site.orgId, assets: 30, of: 30, isFinished: true });
    await sealing.stop();
    await sealAll(database.url);
    const parts = await database.rows(
      'select kind, part, parts, location_id, previous_location_id from moves where asset_id = $1 order by position',
      [long?.id],
    );
    const at = (await storedHistory(database, long?.id ?? 0)).at(-1)?.locationId;
    expect(parts).to.deep.equal(
      [1, 2, 3].map((part) => ({
        kind: 'corrected',
        part,
        parts: 3,
        location_id: at,
        previous_location_id: at,
      })),
    );
    await expectFolded();
    expect(await completeSince()).to.not.equal(null);
  });

  it('are in it once, though it was broken off, and what is recorded meanwhile is told after them', async () => {
    await takeOutOfFeed();
    sealing = seal();
    const breaking = new AbortController();
    const [broken] = await beginFeeds(database.url, {
      signal: breaking.signal,
      onProgress: () => breaking.abort(),
    });
    expect(broken?.isFinished).to.equal(false);
    expect(broken?.assets).to.be.within(1, 29);
    expect(await completeSince()).to.equal(null);
    const [again] = await Promise.all([beginFeeds(database.url), moveAbout(5, 30), moveAbout(-20, 10)]);
    expect(again[0]?.isFinished).to.equal(true);
    expect((again[0]?.assets ?? 0) + (broken?.assets ?? 0)).to.equal(30);
    await sealing.stop();
    await sealAll(database.url);
    await expectFolded();
    expect(await completeSince()).to.not.equal(null);
    expect(await beginFeeds(database.url)).to.deep.equal([]);
  });

  it('wait until no process of an earlier version runs, which would not tell of changes', async () => {
    await takeOutOfFeed();
    sealing = seal();
    const earlier = new pg.Client(connectionConfig(database.url, 'tagtrail listen'));
    await earlier.connect();
    await database.rows('update schema_migrations set applied_at = clock_timestamp()');
    expect(await beginFeeds(database.url, { isImpatient: true })).to.deep.equal([]);
    const waiting = Promise.withResolvers<void>();
    const all = beginFeeds(database.url, { onEarlier: waiting.resolve });
    await waiting.promise;
    expect(
      await database.rows('select from positions where is_in_feed and org_id = $1', [site.orgId]),
    ).to.deep.equal([]);
    await earlier.end();
    expect((await all)[0]).to.deep.include({ assets: 30, isFinished: true });
  });

  it('come in the order of how much an organization has, so that none waits for a much larger one', async () => {
    await takeOutOfFeed();
    const smaller = await Site.create(database);
    await database.rows(`insert into positions (org_id, asset_id) values ($1, $2)`, [
      smaller.orgId,
      await smaller.asset('PALLET'),
    ]);
    const none = await Site.create(database);
    await database.rows('insert into move_heads (org_id) values ($1)', [none.orgId]);
    sealing = seal();
    const all = await beginFeeds(database.url);
    expect(all.map(({ orgId, of }) => ({ orgId, of }))).to.deep.equal([
      { orgId: smaller.orgId, of: 1 },
      { orgId: site.orgId, of: 30 },
    ]);
    const waiting = await database.rows('select from move_heads where complete_since is null');
    expect(waiting).to.deep.equal([]);
  });

  it('wait for the sealer when much of them is not sealed', async () => {
    await takeOutOfFeed();
    const told: number[] = [];
    const all = beginFeeds(database.url, {
      most: { events: 10, transitions: 1_000_000 },
      onProgress: (sofar) => told.push(sofar.assets),
    });
    await until(() => told.length > 0);
    const first = await Promise.race([all, database.rows('select pg_sleep(1)').then(() => 'waits')]);
    expect(first).to.equal('waits');
    expect(told).to.deep.equal([16]);
    sealing = seal();
    expect((await all)[0]).to.deep.include({ assets: 30, isFinished: true });
  });

  it("are not held up by another organization's event that cannot be sealed", async () => {
    await takeOutOfFeed();
    const larger = await Site.create(database);
    for (let number = 0; number < 40; number++) {
      await database.rows('insert into positions (org_id, asset_id) values ($1, $2)', [
        larger.orgId,
        await larger.asset(`PALLET-${number}`),
      ]);
    }
    await database.rows(
      `insert into unsealed_moves (org_id, asset_id, kind, recorded_at) values ($1, 1, 'damaged', now())`,
      [site.orgId],
    );
    sealing = seal();
    const all = await beginFeeds(database.url, { most: { events: 10, transitions: 1_000_000 } });
    expect(all.map(({ orgId, isFinished }) => [orgId, isFinished])).to.deep.equal([
      [site.orgId, false],
      [larger.orgId, true],
    ]);
    await database.rows(`update unsealed_moves set kind = 'moved' where kind = 'damaged'`);
    expect((await beginFeeds(database.url))[0]).to.deep.include({ orgId: site.orgId, isFinished: true });
  });

  it('come after the database cut the connection, without a restart', async () => {
    await takeOutOfFeed();
    const faults: string[] = [];
    const holder = await database.pool.connect();
    await holder.query('begin');
    await holder.query('select from positions where org_id = $1 for update', [site.orgId]);
    const feed = startFeed(database.url, {
      info: () => {},
      warn: (_, message) => faults.push(message),
      error: (_, message) => faults.push(message),
    });
    try {
      await until(async () => (await database.rows(CUT)).length > 0);
      await until(async () => faults.length > 0);
      await holder.query('rollback');
      await until(
        async () => (await database.rows('select from move_heads where complete_since is null')).length === 0,
      );
      expect(new Set(faults)).to.deep.equal(
        new Set(['Putting histories into the move feed failed; will resume']),
      );
    } finally {
      holder.release();
      await feed.stop();
    }
  });

  /** Each asset goes somewhere every minute of so many from that one on. */
  async function moveAbout(from: number, minutes: number): Promise<void> {
    for (let at = from; at < from + minutes; at++) {
      await record(
        database,
        assets.map(({ value }, index) => {
          const locationId = locations[(100 + at + index) % 3] as number;
          return aRead({
            orgId: site.orgId,
            readerId,
            value,
            locationId,
            at: minute(at),
            receivedAt: minute(100),
          });
        }),
      );
    }
  }

  /** Has the database as one that was just upgraded. */
  async function takeOutOfFeed(): Promise<void> {
    await database.empty('unsealed_moves');
    await database.rows('update positions set is_in_feed = false, told_at = null where org_id = $1', [
      site.orgId,
    ]);
    await database.rows('insert into move_heads (org_id) values ($1)', [site.orgId]);
  }

  function seal(): Sealing {
    return startSealing(database.url, {
      onFault: (error) => {
        throw error;
      },
    });
  }

  async function completeSince(): Promise<string | null> {
    const [head] = await database.rows<{ since: string | null }>(
      'select complete_since as since from move_heads where org_id = $1',
      [site.orgId],
    );
    return head?.since ?? null;
  }

  async function expectFolded(): Promise<void> {
    for (const { id } of assets) {
      const moves = await database.rows<FeedMove & { rows: string | null }>(
        `select kind, location_id, micros_of_time(since) as since, duration_seconds, rows::text
         from moves where asset_id = $1 order by position`,
        [id],
      );
      const told = moves.map((move) => ({
        ...move,
        rows: move.rows === null ? null : JSON.parse(move.rows),
      }));
      expect(folded(told)).to.deep.equal(await storedHistory(database, id));
    }
  }
});

/** Ends what waits for a position to put its history into the feed. */
const CUT = `select pg_terminate_backend(pid) from pg_stat_activity
  where datname = current_database() and application_name = 'tagtrail feed beginning' and wait_event_type = 'Lock'`;
