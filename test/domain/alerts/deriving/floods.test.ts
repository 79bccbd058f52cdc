import { expect } from 'chai';
import { encodeTime } from 'ulid';
import { MICROS_PER_SECOND, type Micros } from '../../../../base/instant.ts';
import { databaseOn } from '../../../../db/timescale/connections/database.ts';
import { AlertTurns } from '../../../../domain/alerts/deriving/take-turn.ts';
import { createRule } from '../../../../domain/alerts/rules/create-rule.ts';
import { MOST_RAISED } from '../../../../domain/alerts/stored/room.ts';
import { examineFloods } from '../../../../domain/health/alerts.ts';
import { TEST_ACTOR } from '../../../support/actor.ts';
import { useDatabase } from '../../../support/database.ts';
import { aRead, record } from '../../../support/recording.ts';
import { sealAll } from '../../../support/seal-all.ts';
import { Site } from '../../../support/site.ts';

const HOUR = 3_600;

describe('an organization that raises as many alerts within an hour as it may', () => {
  const database = useDatabase();
  const beginning = Date.now() * 1_000 - 10 * HOUR * MICROS_PER_SECOND;
  const at = (second: number): Micros => beginning + second * MICROS_PER_SECOND;
  let turns: AlertTurns;
  const derive = async () => {
    await sealAll(database.url);
    while ((await turns.take()) === 'behind') {}
  };

  before(() => {
    turns = new AlertTurns(database.pool);
  });

  async function siteWith(name: string, tags: readonly string[]) {
    const site = await Site.create(database, name);
    const [dock, yard] = [await site.location('DOCK'), await site.location('YARD')];
    const readerId = await site.reader(name, [dock, yard]);
    for (const tag of tags) {
      await site.asset(tag, tag);
    }
    const read = (tag: string, locationId: number, second: number) =>
      record(database, [aRead({ orgId: site.orgId, readerId, value: tag, locationId, at: at(second) })]);
    for (const tag of tags) {
      await read(tag, dock, 10);
    }
    const ruleNamed = (rule: string) =>
      createRule(databaseOn(database.pool), TEST_ACTOR, Date.now() * 1_000, {
        ...{ orgId: site.orgId, validFrom: at(0) },
        ...{ kind: 'not_allowed', locationExternalKey: 'YARD', name: rule },
      });
    return { orgId: site.orgId, rule: await ruleNamed('Yard'), ruleNamed, dock, yard, read };
  }
  const alerted = async (orgId: number, rule = 'Yard') => {
    const rows = await database.rows<{ key: string; opened: Micros; state: string }>(
      `select external_key as key, micros_of_time(opened_at)::float8 as opened, state
       from alerts join assets on assets.org_id = alerts.org_id and assets.id = asset_id
       where alerts.org_id = $1 and rule_name = $2 order by opened_at, key`,
      [orgId, rule],
    );
    return rows.map(({ key, opened, state }) => [key, opened, state]);
  };

  it('raises no more until the hour is over, but what holds, and of other rules and organizations', async () => {
    const full = await siteWith('Full', ['E280', 'E281', 'E282']);
    const other = await siteWith('Other', ['E290']);
    await full.ruleNamed('Also the yard');
    await derive();
    await database.rows(
      `insert into alerts (org_id, id, rule_id, rule_valid_from, rule_name, kind, asset_id, opened_at, closed_at, state)
       select $1, $2 || lpad(number::text, 16, '0'), $3, now(), 'Noise', 'not_allowed',
         (select min(id) from assets where org_id = $1), now(), now(), 'closed'
       from generate_series(1, $4::integer) number`,
      [full.orgId, encodeTime(Date.now(), 10), full.rule.id, MOST_RAISED / 2 - 1],
    );
    await full.read('E280', full.yard, HOUR);
    await full.read('E280', full.dock, 2 * HOUR);
    await full.read('E281', full.yard, 3 * HOUR);
    await full.read('E281', full.dock, 4 * HOUR);
    await full.read('E282', full.yard, 5 * HOUR);
    await other.read('E290', other.yard, HOUR);
    await derive();
    const all = [
      ['E280', at(HOUR), 'closed'],
      ['E281', at(3 * HOUR), 'closed'],
      ['E282', at(5 * HOUR), 'open'],
    ];
    const raised = await alerted(full.orgId);
    expect(raised.map(([, , state]) => state)).to.have.members(['closed', 'open']);
    expect(await alerted(full.orgId, 'Also the yard')).to.deep.equal(all);
    expect(await alerted(other.orgId)).to.deep.equal([['E290', at(HOUR), 'open']]);
    const found = await examineFloods(databaseOn(database.pool), full.orgId);
    expect(found[0]?.message).to.match(/^.* raised the maximum of alerts .* on: Yard$/);
    expect(await examineFloods(databaseOn(database.pool), other.orgId)).to.deep.equal([]);

    // As if an hour had passed, and clocks were set back by more.
    await database.rows(`update alerts set id = $1 || substr(id, 11) where rule_name = 'Noise'`, [
      encodeTime(Date.now() + 2 * HOUR * 1_000, 10),
    ]);
    await database.rows(`update alert_floods set until = now()`);
    await derive();
    expect(await alerted(full.orgId)).to.deep.equal(all);
    await database.rows(
      `insert into alert_floods (org_id, since, until) values ($1, now(), now() + interval '2 hours')`,
      [full.orgId],
    );
    await derive();
    expect(await database.rows('select org_id from alert_floods')).to.deep.equal([]);
  });
});
