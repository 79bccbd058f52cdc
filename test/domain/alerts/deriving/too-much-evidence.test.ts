import { expect } from 'chai';
import { MICROS_PER_SECOND, type Micros } from '../../../../base/instant.ts';
import { databaseOn } from '../../../../db/timescale/connections/database.ts';
import type { Unknown } from '../../../../domain/alerts/deriving/derive-organization.ts';
import { readAlertFigures } from '../../../../domain/alerts/deriving/figures.ts';
import { AlertTurns } from '../../../../domain/alerts/deriving/take-turn.ts';
import { createRule } from '../../../../domain/alerts/rules/create-rule.ts';
import { examineLeftOut } from '../../../../domain/health/alerts.ts';
import { TEST_ACTOR } from '../../../support/actor.ts';
import { useDatabase } from '../../../support/database.ts';
import { aRead, record } from '../../../support/recording.ts';
import { sealAll } from '../../../support/seal-all.ts';
import { Site } from '../../../support/site.ts';

const STAYS = 20_000;

describe('an asset that moved more often than is looked at', () => {
  const database = useDatabase();
  const beginning = Date.now() * 1_000 - 2 * STAYS * MICROS_PER_SECOND;
  const at = (second: number): Micros => beginning + second * MICROS_PER_SECOND;

  it('is said to have no alerts derived, and delays those of no other asset', async () => {
    const site = await Site.create(database);
    const { orgId } = site;
    const [dock, yard] = [await site.location('DOCK'), await site.location('YARD')];
    const readerId = await site.reader('reader', [dock, yard]);
    const restless = await site.asset('RESTLESS', 'E280');
    const other = await site.asset('OTHER', 'E281');
    const read = (value: string, second: number) =>
      record(database, [aRead({ orgId, readerId, value, locationId: yard, at: at(second) })]);
    await read('E281', STAYS + 1);
    await read('E280', STAYS + 1);
    await database.rows(
      `insert into location_transitions (org_id, asset_id, observed_at, location_id, duration_seconds)
       select $1, $2, time_of_micros($3::bigint + second * 1000000), case when second % 2 = 0 then $4::integer else $5 end, 1
       from generate_series(1, $6::bigint) second`,
      [orgId, restless, at(0), dock, yard, STAYS],
    );
    await createRule(databaseOn(database.pool), TEST_ACTOR, Date.now() * 1_000, {
      ...{ orgId, kind: 'not_allowed', locationExternalKey: 'YARD', validFrom: at(0) },
    });
    const unknown: Unknown[] = [];
    const turns = new AlertTurns(database.pool, { onUnknown: (each) => unknown.push(each) });
    await sealAll(database.url);
    while ((await turns.take()) === 'behind') {}
    expect(unknown).to.deep.include({ orgId, what: 'asset', id: restless });
    expect(new Set(unknown.map(({ id }) => id))).to.deep.equal(new Set([restless]));
    const alerts = await database.rows('select asset_id from alerts');
    expect(alerts).to.deep.equal([{ asset_id: other }]);
    const db = databaseOn(database.pool);
    const found = await examineLeftOut(db, orgId);
    expect(found.map(({ message }) => message)).to.deep.equal([
      `Organization ${orgId} (Acme): alerts of these are not derived, as they moved, or connected, too often within a month: asset RESTLESS`,
    ]);
    expect(found[0]?.remedy).to.include('locate try');
    expect((await readAlertFigures(db, 10)).leftOut).to.deep.equal([{ org: orgId, count: 1 }]);

    await database.rows(
      'delete from location_transitions where asset_id = $1 and observed_at < time_of_micros($2)',
      [...[restless, at(STAYS - 10)]],
    );
    await database.rows(
      `insert into alert_revisions (org_id, subject, subject_id, since) values ($1, 'asset', $2, time_of_micros($3))`,
      [orgId, restless, at(STAYS - 10)],
    );
    while ((await turns.take()) === 'behind') {}
    expect(await examineLeftOut(db, orgId)).to.deep.equal([]);
  });
});
