import { expect } from 'chai';
import { MICROS_PER_SECOND } from '../../../../base/instant.ts';
import { type Database, databaseOn } from '../../../../db/timescale/connections/database.ts';
import { EVERYTHING, type RuleSettings } from '../../../../domain/alerts/rules/settings.ts';
import { runTrial } from '../../../../domain/alerts/trial/run-trial.ts';
import { UNBOUND } from '../../../../domain/tracking/reading-bound.ts';
import { useDatabase } from '../../../support/database.ts';
import { at, PresenceSite } from '../../../support/presence-site.ts';

const WINDOW = { since: at(50), until: at(280) };

describe('trying a rule', () => {
  const database = useDatabase();
  let db: Database;
  let site: PresenceSite;
  before(async () => {
    db = databaseOn(database.pool);
    site = await PresenceSite.create(database, { places: 2, readerPlaces: [0, 1], assets: 4 });
    await site.watch(0, { from: -1_000, mode: 'continuous', maxGap: 60, coverage: 'all' });
    // The first is not read for two minutes, the second twice for one; the third goes on to be read elsewhere.
    const unread = [
      [100, 220],
      [60, 120, 180, 240],
    ];
    const isRead = (second: number, pauses: readonly number[] = []) =>
      pauses.filter((pause) => pause < second && second > 0).length % 2 === 0 || pauses.includes(second);
    await site.deliver(
      Array.from({ length: 30 }, (_, index) => index * 10).map((second) => ({
        ...{ reader: 0, at: second, receivedAt: second },
        assets: [...[0, 1].filter((asset) => isRead(second, unread[asset])), ...(second < 90 ? [2] : [])],
      })),
    );
    await site.deliver([{ reader: 1, at: 95, receivedAt: 95, assets: [2] }]);
  });

  const run = (settings: Partial<RuleSettings>, batch: number, alerts = 100, goesOn = () => true) => {
    const all = { kind: 'overdue' as const, name: 'any', after: 40 * MICROS_PER_SECOND, thenAfter: null };
    const more = { bound: UNBOUND, locationId: null, hours: null, selection: EVERYTHING, mailTo: [] };
    const trial = {
      orgId: site.orgId,
      settings: { ...all, ...more, ...settings },
      until: null,
      window: WINDOW,
    };
    return runTrial(db, trial, { bounds: { alerts, subjects: 100 }, batch, goesOn });
  };
  const time = (second: number) => new Date(at(second) / 1_000).toISOString();
  const asset = (index: number) => ({
    ...{ asset_external_key: `ASSET-00${index}`, reader_id: null, reader_name: null },
  });

  it('says which alerts it would have raised, for which assets, however many are looked at together', async () => {
    const overdue = (index: number, from: number, until: number) => ({
      ...{ ...asset(index), location_external_key: 'PLACE-0', is_older: false, level: null, alarm_at: null },
      ...{ opened_at: time(from), closed_at: time(until), seconds: until - from },
    });
    const expected = {
      ...{ since: time(50), until: time(280), looked_at: 3, looked_at_of: 3, is_complete: true },
      ...{ alert_count: 3, subject_count: 2, longest: overdue(0, 140, 220), alerts_left_out: 0 },
      subjects: [
        { ...asset(1), alert_count: 2, longest_seconds: 20, total_seconds: 40 },
        { ...asset(0), alert_count: 1, longest_seconds: 80, total_seconds: 80 },
      ],
      alerts: [overdue(0, 140, 220), overdue(1, 100, 120), overdue(1, 220, 240)],
    };
    expect(await run({}, 1_000)).to.deep.equal(expected);
    expect(await run({}, 1)).to.deep.equal(expected);
    const bounded = await run({}, 2, 2);
    expect(bounded).to.deep.include({
      alert_count: 3,
      alerts: expected.alerts.slice(0, 2),
      alerts_left_out: 1,
    });
  });

  it('ends when it is told to, and says so', async () => {
    const ended = await run({}, 1, 100, () => false);
    expect(ended).to.deep.include({ looked_at: 1, looked_at_of: 3, is_complete: false, alert_count: 1 });
  });

  it('looks at the assets that the rule names only', async () => {
    const assetIds = site.assets.slice(1, 3);
    const tried = await run({ selection: { ...EVERYTHING, assetIds } }, 1_000);
    expect(tried).to.deep.include({ looked_at: 2, looked_at_of: 2, alert_count: 2 });
  });

  it('looks at readers for a rule about readers', async () => {
    const [silent, fine] = site.readers.map(({ readerId }) => readerId);
    await database.rows(
      `insert into reader_spans (org_id, reader_id, state, started_at, ended_at) values
       ($1, $2, 'silent', time_of_micros($3), null), ($1, $4, 'silent', time_of_micros($3), time_of_micros($5))`,
      [site.orgId, silent, at(20), fine, at(30)],
    );
    const tried = await run({ kind: 'reader', after: null }, 1);
    expect(tried).to.deep.include({ looked_at: 2, looked_at_of: 2, alert_count: 1, subject_count: 1 });
    expect(tried.longest).to.deep.equal({
      ...{ asset_external_key: null, reader_id: silent, reader_name: `${site.orgId}/0` },
      ...{ location_external_key: null, opened_at: time(50), is_older: true, closed_at: null },
      ...{ level: null, alarm_at: null, seconds: 230 },
    });
  });
});
