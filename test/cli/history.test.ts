import { expect } from 'chai';
import { commandLineOn } from '../support/command-line.ts';
import { type TestDatabase, useDatabase } from '../support/database.ts';
import { storeHistory } from '../support/earlier-history.ts';
import { STRENGTH, storeSettings } from '../support/location-settings.ts';
import { storedHistory } from '../support/recording.ts';
import { Site } from '../support/site.ts';
import { wokenFor } from '../support/woken-sealer.ts';

const SECOND = 1_000_000;
const START = Date.UTC(2026, 4, 1, 10) * 1_000;
const PASSING = [
  [0, 0, -40],
  [60.8, 1, -46],
  [61.2, 1, -58],
  [62.3, 1, -46],
] as const;

/** An asset that passed from A to B, with the history that an earlier version made of it, by plain SQL. */
async function passedEarlier(database: TestDatabase) {
  const site = await Site.create(database);
  const places = [await site.location('A'), await site.location('B')];
  const readerId = await site.reader(`gate-${site.orgId}`, places);
  const assetId = await site.asset('CRATE', 'CRATE');
  await storeSettings(database, site.orgId, [
    { locationId: null, validFrom: START - SECOND, setting: STRENGTH },
  ]);
  const seen = PASSING.map(([second, place, rssi]) => {
    return { observedAt: START + second * SECOND, locationId: places[place] ?? 0, rssi };
  });
  for (const { observedAt, locationId, rssi } of seen) {
    await database.rows(
      `insert into scan_events (org_id, asset_id, location_id, observed_at, received_at, time_is_received, tag_type,
         tag_value, rssi, reader_id, antenna)
       values ($1, $2, $3, time_of_micros($4), time_of_micros($4), false, 'rfid', 'CRATE', $5, $6, 1)`,
      [site.orgId, assetId, locationId, observedAt, rssi, readerId],
    );
  }
  await database.rows(
    'insert into positions (org_id, asset_id, last_seen) values ($1, $2, time_of_micros($3))',
    [site.orgId, assetId, START + 62.3 * SECOND],
  );
  await storeHistory(database, { orgId: site.orgId, assetId }, [
    { observedAt: START, locationId: places[0] ?? 0, durationSeconds: null },
    { observedAt: START + 61.2 * SECOND, locationId: places[1] ?? 0, durationSeconds: 61 },
  ]);
  const movedAt = async () => {
    const [, move] = await storedHistory(database, assetId);
    const [position] = await database.rows<{ since: number }>(
      'select micros_of_time(since) as since from positions where asset_id = $1',
      [assetId],
    );
    expect(position?.since).to.equal(move?.observedAt);
    return ((move?.observedAt ?? 0) - START) / SECOND;
  };
  expect(await movedAt()).to.equal(61.2);
  return { orgId: site.orgId, movedAt };
}

describe('history recompute', () => {
  const database = useDatabase();
  const { tagtrail, json, fails } = commandLineOn(() => database);

  it('says what it would change when it is dry, and then changes it', async () => {
    const { orgId, movedAt } = await passedEarlier(database);
    const org = String(orgId);
    const changed = { org_id: orgId, assets: 1, assets_changed: 1, rows_written: 1, rows_removed: 1 };
    expect(await json('history', 'recompute', '--org', org, '--dry-run')).to.deep.equal({
      ...changed,
      dry_run: true,
    });
    expect(await movedAt()).to.equal(61.2);
    expect(await json('history', 'recompute', '--org', org, '--asset', 'CRATE')).to.deep.equal({
      ...changed,
      dry_run: false,
    });
    expect(await movedAt()).to.equal(60.8);
    expect((await tagtrail('history', 'recompute', '--org', org)).stdout).to.equal(
      `Organization ${org}: 0 of 1 histories changed, 0 rows written, 0 removed.\n`,
    );
  });

  it('wakes the sealer, so that what it changed is in the feed at once', async () => {
    const { orgId, movedAt } = await passedEarlier(database);
    const org = String(orgId);
    expect(
      await wokenFor(database, () => tagtrail('history', 'recompute', '--org', org, '--dry-run')),
    ).to.deep.equal([]);
    expect(await wokenFor(database, () => tagtrail('history', 'recompute', '--org', org))).to.deep.equal([
      orgId,
    ]);
    expect(await movedAt()).to.equal(60.8);
  });

  it('names the organization or the asset that there is not', async () => {
    const { orgId } = await passedEarlier(database);
    await fails(1, 'Organization 999 not found', 'history', 'recompute', '--org', '999');
    await fails(1, 'Asset NONE not found', 'history', 'recompute', '--org', String(orgId), '--asset', 'NONE');
  });
});
