import { expect } from 'chai';
import { expectIssues, useApi } from '../../support/api.ts';
import { longestHold, Yardstick } from '../../support/held-loop.ts';
import { itByNight } from '../../support/random-sets.ts';
import { Site } from '../../support/site.ts';

describe('/rules/try, of an asset with very much evidence', () => {
  // What is judged is what the event loop is held for; how long the database takes depends on what else is running.
  const api = useApi({ QUERY_TIMEOUT_MS: 60_000 });
  let site: Site;
  let key: string;
  before(async () => {
    site = await Site.create(api.database);
    key = await api.keyWith(['rules:admin'], { orgId: site.orgId });
  });

  /** An asset that goes to and fro between two locations, every two seconds up to now. */
  async function wanderer(name: string, stays: number): Promise<void> {
    const places = [await site.location(`${name}-A`), await site.location(`${name}-B`)];
    const readerId = await site.reader(name, places);
    await api.database.rows(
      `with moved as (
         insert into location_transitions (org_id, asset_id, observed_at, location_id)
         select $1, $2, date_trunc('second', now()) - (2 * step + 1) * interval '1 second', ($3::integer[])[1 + step % 2]
         from generate_series(0, $4::integer - 1) step
         returning observed_at, location_id
       ), scanned as (
         insert into scan_events (org_id, asset_id, location_id, observed_at, received_at, time_is_received, tag_type,
           tag_value, reader_id, antenna)
         select $1, $2, location_id, observed_at, observed_at, false, 'rfid', 'E2', $5, 1 from moved
       )
       insert into positions (org_id, asset_id, location_id, since, last_seen)
       select $1, $2, location_id, observed_at, observed_at from moved order by observed_at desc limit 1`,
      [site.orgId, await site.asset(name), places, stays, readerId],
    );
  }

  const tried = (name: string, rule: object) =>
    api.call({
      ...{ method: 'POST', path: '/api/v1/rules/try', key },
      json: { name: 'Wanderer', asset_external_keys: [name], ...rule },
    });

  itByNight('does not hold the event loop', async () => {
    await wanderer('MANY', 150_000);
    let shown: Record<string, unknown> | undefined;
    const ask = async () => {
      // Nobody watches its locations; but each time between two reads is looked at.
      const unwatched = await tried('MANY', { kind: 'overdue', after_seconds: 1 });
      expect(unwatched.status, unwatched.text).to.equal(200);
      const { body } = await tried('MANY', { kind: 'not_allowed', location_external_key: 'MANY-A' });
      shown = body?.data;
    };
    // Parsing it takes 40 ms where evidence read and looked at in the process itself held it for 130, and 60 is fine.
    const keys = Array.from({ length: 110_000 }, (_, at) => `"${at.toString(36)}":1`);
    const isHeld = await new Yardstick(`{${keys}}`).isExceededBy((many) => longestHold(ask, many), 1.5);
    expect(shown).to.include({ looked_at: 1, is_complete: true, alert_count: 75_000 });
    expect(isHeld).to.equal(false);
  });

  it('says so where it is too much to look at', async () => {
    await wanderer('TOO-MANY', 200_001);
    const rule = { kind: 'not_allowed', location_external_key: 'TOO-MANY-A' };
    expectIssues(await tried('TOO-MANY', rule), [['since', 'invalid_value']]);
  });
});
