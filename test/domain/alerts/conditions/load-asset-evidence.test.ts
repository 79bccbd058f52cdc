import { expect } from 'chai';
import { MICROS_PER_SECOND } from '../../../../base/instant.ts';
import { databaseOn } from '../../../../db/timescale/connections/database.ts';
import { pathKey } from '../../../../domain/alerts/conditions/evidence.ts';
import { loadAssetEvidence } from '../../../../domain/alerts/conditions/load-asset-evidence.ts';
import { loadReaderEvidence } from '../../../../domain/alerts/conditions/load-reader-evidence.ts';
import { stretchesOf } from '../../../../domain/alerts/conditions/rule-kinds.ts';
import type { DatedRule } from '../../../../domain/alerts/rules/rule.ts';
import { useDatabase } from '../../../support/database.ts';
import { MeasuredClient } from '../../../support/measured-client.ts';
import { at, PresenceSite } from '../../../support/presence-site.ts';
import { openDoor } from '../../../support/recorded-past.ts';
import { ruleOf } from './rule-of.ts';

const EVER = Number.POSITIVE_INFINITY;

describe('the evidence of conditions', () => {
  const database = useDatabase();
  let site: PresenceSite;
  before(async () => {
    site = await PresenceSite.create(database, { places: 2, readerPlaces: [0, 1], assets: 3 });
    await site.watch(0, { from: -1_000, mode: 'continuous', maxGap: 60, coverage: 'all' });
    const read = (reader: number, second: number, assets: number[]) => ({
      ...{ reader, at: second, receivedAt: second, assets },
    });
    const times = Array.from({ length: 30 }, (_, index) => index * 10);
    await site.deliver(times.map((second) => read(0, second, second <= 100 || second >= 200 ? [0] : [])));
    await site.deliver([read(1, 5, [1, 2]), read(1, 15, [1]), read(0, 60, [2]), read(1, 250, [2])]);
  });

  const overdue = (fields: Partial<DatedRule>) =>
    ruleOf({ orgId: site.orgId, kind: 'overdue', after: 40 * MICROS_PER_SECOND, ...fields });
  const window = { since: at(50), until: at(280) };

  it('says when assets were not read, of long pauses only, to services and to one organization', async () => {
    const { assets, around } = await loadAssetEvidence(
      databaseOn(database.pool),
      ...([site.orgId, [overdue({})], site.assets.slice(0, 2), window] as const),
    );
    expect(assets.map(({ assetId, unread }) => ({ assetId, unread }))).to.deep.equal([
      {
        assetId: site.assets[0],
        unread: [
          { since: at(100), until: at(200) },
          { since: at(270), until: EVER },
        ],
      },
      { assetId: site.assets[1], unread: [{ since: at(15), until: EVER }] },
    ]);
    expect(assets.map((asset) => stretchesOf([overdue({})], asset, around))).to.deep.equal([
      [
        {
          ...{ since: at(140), until: at(200), level: null, alarmSince: null },
          because: {
            ...{ kind: 'overdue', state: 'overdue', locationId: site.places[0], lastSeen: at(100) },
            sweepId: null,
          },
        },
      ],
      [],
    ]);
    const own = openDoor(database).of(site.orgId).listing({ isBrief: true, signal: undefined });
    const asked = await loadAssetEvidence(own, site.orgId, [overdue({})], site.assets.slice(0, 2), window);
    expect(asked.assets).to.deep.equal(assets);
  });

  it('takes many reads that are far apart at once', async () => {
    const READS = 1_000;
    const asset = 1_000_000;
    await database.rows(
      `insert into scan_events
         (org_id, asset_id, location_id, observed_at, received_at, time_is_received, tag_type, tag_value, reader_id, antenna)
       select $1, $2, 1, now() - make_interval(mins => n), now(), false, 'rfid', 'APART', 1, 1
       from generate_series(1, $3::integer) n`,
      [site.orgId, asset, READS],
    );
    const measured = await MeasuredClient.connect(database.url);
    try {
      const taken = await measured.measure(async (client) => {
        await client.query(`select set_config('tagtrail.org_id', $1, false)`, [String(site.orgId)]);
        const { rows } = await client.query({
          name: 'reads-apart',
          text: `select from reads_apart($1, array[$2::integer], array['-infinity'::timestamptz], array[now()],
            array[interval '30 seconds'], now(), 10_000)`,
          values: [site.orgId, asset],
        });
        expect(rows).to.have.lengthOf(READS);
      });
      expect(taken.get('reads-apart')?.pages).to.be.within(1, 3 * READS);
    } finally {
      await measured.client.end();
    }
  });

  it('says of a short pause that a sweep did not find the asset in it', async () => {
    await site.sweep('SWEEP', 0, 160, [2]);
    const patient = overdue({ after: 1_000 * MICROS_PER_SECOND });
    const { assets, around } = await loadAssetEvidence(
      databaseOn(database.pool),
      ...([site.orgId, [patient], site.assets, window] as const),
    );
    const stretches = assets.flatMap((asset) => stretchesOf([patient], asset, around));
    expect(stretches.map(({ since, until, because }) => ({ since, until, because }))).to.deep.equal([
      {
        ...{ since: at(160), until: at(250) },
        because: {
          ...{ kind: 'overdue', state: 'missing', locationId: site.places[0], lastSeen: at(60) },
          sweepId: 'SWEEP',
        },
      },
    ]);
  });

  it('reaches back as far as the threshold of a rule', async () => {
    await database.rows(
      'update location_versions set parent_id = $2 where org_id = $1 and location_id = $3',
      [...[site.orgId, ...site.places]],
    );
    const rule = ruleOf({
      ...{ orgId: site.orgId, kind: 'dwell', after: 200 * MICROS_PER_SECOND },
      locationId: site.places[0] ?? 0,
    });
    const { assets, around } = await loadAssetEvidence(
      databaseOn(database.pool),
      ...([site.orgId, [rule], site.assets.slice(2)] as const),
      { since: at(270), until: at(280) },
    );
    const stretches = assets.flatMap((asset) => stretchesOf([rule], asset, around));
    expect(stretches.map(({ until, level }) => ({ until, level }))).to.deep.equal([
      { until: null, level: 'alarm' },
    ]);
  });

  it('says how assets were described then, by the log of changes', async () => {
    const [asset = 0] = site.assets;
    await database.rows(`update assets set metadata = '{"type": {"size": 3}}' where id = $1`, [asset]);
    await database.rows(
      `insert into changes (org_id, at, actor_type, actor_id, action, resource_type, resource_id, before, after)
       values ($1, time_of_micros($2), 'command_line', 'test', 'update', 'asset', $3,
         '{"metadata": {"type": {"size": "2"}}}', '{"metadata": {"type": {"size": 3}}}')`,
      [site.orgId, at(70), asset],
    );
    const described = overdue({});
    const paths = [['type', 'size'], ['type'], ['type', 'size']];
    const { assets } = await loadAssetEvidence(
      databaseOn(database.pool),
      site.orgId,
      paths.map((path) => ({
        ...described,
        selection: { ...described.selection, metadata: [{ path, value: '2' }] },
      })),
      ...([[asset], window] as const),
    );
    expect(assets[0]?.described).to.deep.equal(
      new Map([
        [
          pathKey(['type', 'size']),
          [
            { text: '2', since: -EVER, until: at(70) },
            { text: '3', since: at(70), until: EVER },
          ],
        ],
        [
          pathKey(['type']),
          [
            { text: null, since: -EVER, until: at(70) },
            { text: null, since: at(70), until: EVER },
          ],
        ],
      ]),
    );
  });

  it('says when readers were silent or disconnected', async () => {
    const readerIds = site.readers.map(({ readerId }) => readerId);
    await database.rows(
      `insert into reader_spans (org_id, reader_id, state, started_at, ended_at) values
       ($1, $2, 'silent', time_of_micros($3), time_of_micros($4)), ($1, $2, 'disconnected', time_of_micros($4), null)`,
      [site.orgId, readerIds[0], at(60), at(80)],
    );
    const { readers, around } = await loadReaderEvidence(
      databaseOn(database.pool),
      site.orgId,
      readerIds,
      window,
    );
    expect(readers).to.deep.equal([
      {
        ...{ readerId: readerIds[0], until: EVER },
        spans: [
          { state: 'silent', since: at(60), until: at(80) },
          { state: 'disconnected', since: at(80), until: EVER },
        ],
      },
      { readerId: readerIds[1], until: EVER, spans: [] },
    ]);
    const rule = ruleOf({ orgId: site.orgId, kind: 'reader', after: 30 * MICROS_PER_SECOND });
    expect(
      readers.map((reader) => stretchesOf([rule], reader, around).map(({ since }) => since)),
    ).to.deep.equal([[at(90)], []]);
  });

  it('says of before the window only how long readers were silent or disconnected without a pause', async () => {
    const [, readerId] = site.readers.map((reader) => reader.readerId);
    await database.rows(
      `insert into reader_spans (org_id, reader_id, state, started_at, ended_at)
       select $1, $2, state, time_of_micros(($3 + since * 1e6)::bigint), time_of_micros(($3 + until * 1e6)::bigint)
       from (values ('disconnected', -90, -80), ('disconnected', -60, -20), ('silent', -30, 10), ('disconnected', 10, 40),
         ('silent', 20, 30), ('disconnected', 40, 60), ('silent', 100, 110)) as span (state, since, until)`,
      [site.orgId, readerId, at(0)],
    );
    const db = databaseOn(database.pool);
    const { readers } = await loadReaderEvidence(db, site.orgId, [readerId ?? 0], window);
    const span = (state: string, since: number, until: number) => ({
      state,
      since: at(since),
      until: at(until),
    });
    expect(readers[0]?.spans).to.deep.equal([
      span('disconnected', -60, -20),
      span('silent', -30, 10),
      span('disconnected', 10, 40),
      span('silent', 20, 30),
      span('disconnected', 40, 60),
      span('silent', 100, 110),
    ]);
  });
});
