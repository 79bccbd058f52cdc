import { monitorEventLoopDelay } from 'node:perf_hooks';
import { expect } from 'chai';
import type { Micros } from '../../../../base/instant.ts';
import { verbsOn } from '../../../../db/timescale/queries/verbs.ts';
import type { AssetRef } from '../../../../domain/tracking/history/asset-ref.ts';
import { type Explanation, explain, NotSeenYet } from '../../../../domain/tracking/why/explain.ts';
import { useDatabase } from '../../../support/database.ts';
import { STRENGTH, storeSettings } from '../../../support/location-settings.ts';
import { MeasuredClient } from '../../../support/measured-client.ts';
import { itByNight } from '../../../support/random-sets.ts';
import { aRead, record } from '../../../support/recording.ts';
import { sealAll } from '../../../support/seal-all.ts';
import { Site } from '../../../support/site.ts';

const SECOND = 1_000_000;
const STEP = 100 * SECOND;
const LONG = 20_000;
const END = (Math.floor(Date.now() / 1_000) - 86_400) * SECOND;
const LONG_AGO = END - 150 * STEP;

describe('why an asset with a long history was somewhere', () => {
  const database = useDatabase();
  let measured: MeasuredClient;

  before(async () => {
    measured = await MeasuredClient.connect(database.url, 'auto', true);
  });
  after(() => measured.client.end());

  /** An asset of an organization of its own: stays that end at one time, each begun by a scan and told of by the feed. */
  async function stays(count: number) {
    const site = await Site.create(database, `With ${count} stays`);
    const { orgId } = site;
    const place = {
      ...{ here: await site.location('HERE'), there: await site.location('THERE') },
      between: await site.location('BETWEEN'),
    };
    const readerId = await site.reader(`gate ${count}`, [place.here, place.there]);
    const assetId = await site.asset('PALLET', 'E1');
    const values = [orgId, assetId, count, END, STEP, place.here, place.there];
    const row = `select time_of_micros($4::bigint - (count - n) * $5::bigint) as at,
      case n % 2 when 0 then $6::integer else $7::integer end as location_id, n, $1::integer as org_id, $2::integer as asset_id
      from (select generate_series(1, $3::bigint) as n, $3::bigint as count) made`;
    await database.rows(
      `with stay as (${row}), scan as (
         insert into scan_events
           (org_id, asset_id, location_id, observed_at, received_at, time_is_received, tag_type, tag_value, reader_id, antenna)
         select org_id, asset_id, location_id, at, at, false, 'rfid', 'E1', ${readerId}, 1 + n % 2 from stay
       )
       insert into location_transitions (org_id, asset_id, observed_at, location_id, duration_seconds)
       select org_id, asset_id, at, location_id, case n when 1 then null else $5::bigint / 1000000 end from stay`,
      values,
    );
    await database.rows(
      `with stay as (${row})
       insert into positions (org_id, asset_id, location_id, since, last_seen, is_in_feed)
       select org_id, asset_id, location_id, at, at, true from stay order by n desc limit 1`,
      values,
    );
    await database.rows(
      `with stay as (${row}), head as (
         insert into move_heads as kept (org_id, head) values ($1, $3)
         on conflict (org_id) do update set head = kept.head + $3 returning head
       )
       insert into moves (org_id, position, sealed_at, asset_id, kind, part, parts, recorded_at, location_id, since, last_seen)
       select org_id, head - $3::bigint + n, at + interval '2 s', asset_id, 'moved', 1, 1, at + interval '1 s', location_id, at, at
       from stay, head`,
      values,
    );
    return { orgId, assetId, place, readerId };
  }

  async function measure({ orgId, assetId }: AssetRef, at: Micros | null) {
    const told: Explanation[] = [];
    const statements = await measured.measure(async (client) => {
      const explanation = await explain(
        verbsOn((query) => client.query(query)),
        { orgId, assetId },
        at,
      );
      if (explanation instanceof NotSeenYet) {
        throw new Error('not seen');
      }
      told.push(explanation);
    });
    const [explanation] = told;
    const sum = (of: 'rows' | 'pages') => [...statements.values()].reduce((all, each) => all + each[of], 0);
    return { explanation, rows: sum('rows'), pages: sum('pages') };
  }

  it('is said by reading what is around that time', async () => {
    const histories = [await stays(200), await stays(LONG)];
    // Late: each was elsewhere for a while, a hundred stays ago.
    const late = END - 100 * STEP + STEP / 2;
    for (const { orgId, readerId, place } of histories) {
      await record(database, [
        aRead({ ...{ orgId, readerId, value: 'E1', locationId: place.between }, at: late, receivedAt: END }),
      ]);
    }
    await sealAll(database.url);
    await database.rows('vacuum analyze');
    for (const asset of histories) {
      const { here, there, between } = asset.place;
      for (const [when, at, stay, reads, before] of [
        ['now', null, { locationId: here, from: END, to: null }, 1, there],
        ['at its last stay', END, { locationId: here, from: END, to: null }, 1, there],
        ['late', late, { locationId: between, from: late, to: late + STEP / 2 }, 3, here],
        ['long ago', LONG_AGO, { locationId: here, from: LONG_AGO, to: LONG_AGO + STEP }, 1, there],
      ] as const) {
        const { explanation, rows, pages } = await measure(asset, at);
        expect(explanation?.stay, when).to.deep.equal({ ...stay, position: null });
        expect(explanation?.rule, when).to.equal('every');
        expect(explanation?.around, when).to.have.lengthOf(reads);
        expect(
          explanation?.saidBefore.map(({ locationId }) => locationId),
          when,
        ).to.deep.equal([before]);
        expect(rows, `rows, ${when}`).to.be.below(1_000);
        expect(pages, `pages, ${when}`).to.be.below(1_000);
      }
    }
  });

  it('is said without the scans around it once some within a window of it were dropped', async () => {
    const asset = await stays(100);
    await database.rows(
      'delete from scan_events where asset_id = $1 and observed_at < time_of_micros($2::bigint)',
      [asset.assetId, END - 20 * STEP],
    );
    for (const [stepsAgo, isKept] of [
      [50, false],
      [21, false],
      [20, false],
      [19, true],
      [0, true],
    ] as const) {
      const { explanation } = await measure(asset, END - stepsAgo * STEP);
      expect(explanation?.rivals !== null, `${stepsAgo} stays ago`).to.equal(isKept);
    }
  });

  it('is said without the reads around it, by the proof that was recorded, where these are too many', async () => {
    const asset = await stays(2);
    await readOften(asset, 100_000, 100, asset.place.here);
    await proveBy(asset, 'strength');
    const { explanation, rows } = await measure(asset, null);
    expect(explanation).to.include({ rule: 'strength', evidence: null, isTooMuch: true, isCut: true });
    expect(explanation?.around).to.have.lengthOf(400);
    // 20,000 scans, each counted by every step of a plan; chunks add some.
    expect(rows).to.be.below(300_000);
  });

  async function readBySecond(count: number) {
    const asset = await stays(count);
    await readOften(asset, 36_000, 1_667, asset.place.here);
    await proveBy(asset, 'only_here');
    return asset;
  }

  it('is said with what was heard around it where it is read 600 times a second', async () => {
    const { explanation } = await measure(await readBySecond(4), null);
    expect(explanation).to.include({ rule: 'only_here', isTooMuch: false, isAsRecorded: true, isCut: true });
    const [heard] = explanation?.evidence?.heard ?? [];
    // From 4.5 s before the half second to 4.5 s after it; the antenna's first 50 of each half second.
    expect(heard?.reads).to.equal(19 * 50);
  });

  itByNight('holds nobody up meanwhile', async () => {
    const asset = await readBySecond(5);
    const held = monitorEventLoopDelay({ resolution: 1 });
    held.enable();
    await measure(asset, null);
    held.disable();
    expect(held.max / 1e6).to.be.below(200);
  });

  /** Around the last stay, so many microseconds apart, where strength decides. */
  async function readOften(
    { orgId, assetId, readerId }: { orgId: number; assetId: number; readerId: number },
    count: number,
    apart: number,
    locationId: number,
  ): Promise<void> {
    await storeSettings(database, orgId, [
      { locationId: null, validFrom: END - 1_000 * STEP, setting: STRENGTH },
    ]);
    await database.rows(
      `insert into scan_events
         (org_id, asset_id, location_id, observed_at, received_at, time_is_received, tag_type, tag_value, reader_id, antenna)
       select $1, $2, $3, time_of_micros($4::bigint + (n - $6::bigint / 2) * $7::bigint - 1), now(), false, 'rfid', 'E1', $5, 1
       from generate_series(1, $6::bigint) n`,
      [orgId, assetId, locationId, END, readerId, count, apart],
    );
    await database.rows('vacuum analyze');
  }

  function proveBy({ assetId, readerId }: { assetId: number; readerId: number }, proof: string) {
    return database.rows(
      `update location_transitions set proof = $3, received_at = observed_at, tag_type = 'rfid', tag_value = 'E1',
         reader_id = $2, antenna = 1
       where asset_id = $1 and observed_at = time_of_micros($4::bigint)`,
      [assetId, readerId, proof, END],
    );
  }
});
