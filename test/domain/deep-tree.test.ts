import { expect } from 'chai';
import type { Micros } from '../../base/instant.ts';
import { spreadRevisions } from '../../domain/alerts/deriving/revisions.ts';
import { pickEvents } from '../../domain/webhooks/delivery/pick-events.ts';
import { useDatabase } from '../support/database.ts';
import { appendMoves } from '../support/feed-rows.ts';
import { MeasuredClient } from '../support/measured-client.ts';
import { Site } from '../support/site.ts';

const FIRST = 1_000_000;
const LEVELS = 15_000;
const LAST = FIRST + LEVELS - 1;

/** Some for each of 35,000 locations; a join of all of them at each level has hundreds or thousands for each. */
const MOST_ROWS = 500_000;

describe('a tree that is deep and wide is read once', () => {
  const database = useDatabase();
  let site: Site;
  let measured: MeasuredClient;

  before(async () => {
    site = await Site.create(database);
    await database.rows(
      `insert into locations (org_id, id, parent_id, external_key, name) overriding system value
       select $1, id, nullif(id - 1, $2 - 1), 'CHAIN-' || id, 'chain' from generate_series($2::integer, $3::integer) id`,
      [site.orgId, FIRST, LAST],
    );
    await database.rows(
      `insert into locations (org_id, external_key, name, parent_id)
       select $1, 'WIDE-' || number, 'wide', $2::integer + number % 3 from generate_series(1, 20000) number`,
      [site.orgId, FIRST],
    );
    measured = await MeasuredClient.connect(database.url);
    await measured.client.query(`set statement_timeout = '30s'`);
  });
  after(() => measured.client.end());

  it('to revise alerts below the antennas of a reader', async () => {
    const reader = await site.reader(
      'gates',
      Array.from({ length: 500 }, (_, antenna) => FIRST + antenna),
    );
    const asset = await site.asset('DEEPEST');
    await database.rows(
      `insert into positions (org_id, asset_id, location_id, since, last_seen) values ($1, $2, $3, now(), now())`,
      [site.orgId, asset, LAST],
    );
    await database.rows(
      `insert into alert_revisions (org_id, subject, subject_id, since) values ($1, 'listening', $2, now())`,
      [site.orgId, reader],
    );
    await database.rows('analyze');
    const now: Micros = Date.now() * 1_000;
    const taken = await measured.measure(async (client) => {
      await spreadRevisions(client, site.orgId, { now, isLate: () => false });
      const { rows } = await client.query('select subject, subject_id from alert_revisions');
      expect(rows).to.deep.equal([{ subject: 'asset', subject_id: asset }]);
    });
    expect(taken.get('revise-at-locations')?.rows).to.be.below(MOST_ROWS);
  });

  it('to pick events below the location of a webhook', async () => {
    const assetId = await site.asset('BUSY');
    const since = '2026-05-01T10:00:00Z';
    const outside = await site.location('OUTSIDE');
    const locationIds = [...Array.from({ length: 31 }, (_, level) => LAST - level), outside];
    await appendMoves(
      database,
      site.orgId,
      locationIds.map((locationId) => ({ assetId, locationId, since })),
    );
    await database.rows('analyze');
    const taken = await measured.measure(async (client) => {
      const wanted = {
        lane: assetId & 7,
        types: null,
        locationId: FIRST + 1,
        after: 0,
        head: locationIds.length,
      };
      const { events } = await pickEvents({ db: client, orgId: site.orgId }, wanted);
      expect(events).to.have.lengthOf(31);
    });
    expect(taken.get('find-locations-below')?.rows).to.be.below(MOST_ROWS);
  });
});
