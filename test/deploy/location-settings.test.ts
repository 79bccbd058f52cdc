import { expect } from 'chai';
import { databaseOn } from '../../db/timescale/connections/database.ts';
import { setLocating } from '../../domain/administration/locating/set-locating.ts';
import { MOST_SETTINGS } from '../../domain/tracking/location/site.ts';
import { TEST_ACTOR } from '../support/actor.ts';
import { useDatabase } from '../support/database.ts';
import { Site } from '../support/site.ts';
import { readDeployed } from './folder.ts';

describe('too many location settings', () => {
  const database = useDatabase();
  const everyScan = (orgId: number) =>
    setLocating(
      databaseOn(database.pool),
      TEST_ACTOR,
      {
        ...{ orgId, locationExternalKey: null, from: null },
        ...{ procedure: 'every', certainty: null, tagDbm: null },
      },
      { retention: 0 },
    );
  const countOf = async (orgId: number) =>
    (await database.rows('select from location_settings where org_id = $1', [orgId])).length;

  it('make room for others by what the runbook says, and decide on the last 60 days as before', async () => {
    const site = await Site.create(database, 'Roomy');
    const { orgId: other } = await Site.create(database, 'Untouched');
    const { orgId } = site;
    const dock = await site.location('DOCK');
    const days = (org: number, locationId: number | null, count: number) =>
      database.rows(
        `insert into location_settings (org_id, location_id, procedure, certainty, valid_from)
         select $1, $2, 'strength', 1 + number / 1000.0, now() - interval '100 days' * number / $3::integer
         from generate_series($3::integer, 1, -1) number`,
        [org, locationId, count],
      );
    await days(orgId, null, MOST_SETTINGS);
    await days(orgId, dock, 7);
    await days(other, null, 50);
    const inForce = () =>
      database.rows(
        `select location.id, instant, made.id as setting
         from generate_series(now()::date - 59, now(), interval '1 hour') instant,
           (values ($2::integer), (null)) location (id)
         cross join lateral (
           select id from location_settings
           where org_id = $1 and location_id is not distinct from location.id and valid_from <= instant
           order by valid_from desc, id desc limit 1
         ) made order by location.id, instant`,
        [orgId, dock],
      );
    const before = await inForce();
    expect(before).to.have.length.above(2_000);
    expect(await everyScan(orgId).catch((error) => error.code)).to.equal('conflict');

    const [, statement = ''] =
      /```sql\n(delete from location_settings .*?)```/s.exec(readDeployed('operate.md')) ?? [];
    expect(statement).to.include('where org_id = 1');
    await database.rows(statement.replaceAll('org_id = 1', `org_id = ${orgId}`));
    expect(await inForce()).to.deep.equal(before);
    expect(await countOf(orgId)).to.be.within(600, 620);
    expect(await countOf(other)).to.equal(50);
    await everyScan(orgId);
  });
});
