import { expect } from 'chai';
import { MICROS_PER_SECOND } from '../../../../base/instant.ts';
import { recordedPeriod } from '../../../../domain/tracking/location/try-on-assets.ts';
import type { Period } from '../../../../domain/tracking/location/try-setting.ts';
import { useDatabase } from '../../../support/database.ts';
import { MeasuredClient } from '../../../support/measured-client.ts';
import { Site } from '../../../support/site.ts';

describe('the period that is recorded', () => {
  const database = useDatabase();
  const BEGUN = Date.UTC(2026, 4, 1, 1) * 1_000;
  const READ = 20_000;

  it('is found by a few rows of many, over reads of readers and of handhelds', async () => {
    const { orgId } = await Site.create(database);
    const { orgId: other } = await Site.create(database, 'Other');
    await database.rows(
      `insert into scan_events (org_id, asset_id, location_id, observed_at, received_at, time_is_received, tag_type,
         tag_value, reader_id, antenna)
       select org_id, 1, 1, at, at, false, 'rfid', 'E280', 1, 1
       from unnest($1::integer[]) as org_id cross join generate_series(1, $2) as step
       cross join time_of_micros($3 + step * 1000000::bigint) as at`,
      [[orgId, other], READ, BEGUN],
    );
    await database.rows(
      `insert into scan_events (org_id, asset_id, location_id, observed_at, received_at, time_is_received, tag_type,
         tag_value, handheld_id, submission_id, submission_index)
       select $1, 1, 1, at, at, false, 'rfid', 'E280', 1, 'round', step
       from unnest(array[-5, 100]) as step cross join time_of_micros($2 + step * 1000000::bigint) as at`,
      [orgId, BEGUN],
    );
    await database.rows('analyze scan_events');
    const measured = await MeasuredClient.connect(database.url, 'auto', true);
    let period: Period | null = null;
    const taken = await measured.measure(async (client) => {
      period = await recordedPeriod(client, orgId);
    });
    expect(period).to.deep.equal({
      from: BEGUN - 5 * MICROS_PER_SECOND,
      to: BEGUN + READ * MICROS_PER_SECOND,
    });
    expect(taken.size).to.equal(1);
    for (const { rows, pages } of taken.values()) {
      expect(rows).to.be.below(50);
      expect(pages).to.be.below(50);
    }
    expect(await recordedPeriod(measured.client, orgId + 1_000)).to.equal(null);
    await measured.client.end();
  });
});
