import { expect } from 'chai';
import { MICROS_PER_SECOND, type Micros } from '../../../../base/instant.ts';
import { databaseOn } from '../../../../db/timescale/connections/database.ts';
import { AlertTurns } from '../../../../domain/alerts/deriving/take-turn.ts';
import { createRule } from '../../../../domain/alerts/rules/create-rule.ts';
import { TEST_ACTOR } from '../../../support/actor.ts';
import { useDatabase } from '../../../support/database.ts';
import { aRead, record } from '../../../support/recording.ts';
import { sealAll } from '../../../support/seal-all.ts';
import { Site } from '../../../support/site.ts';

const HOUR = 3_600;

describe('a turn that takes long', () => {
  const database = useDatabase();
  const beginning = Date.now() * 1_000 - 10 * HOUR * MICROS_PER_SECOND;
  const at = (second: number): Micros => beginning + second * MICROS_PER_SECOND;
  /** Has no time for more than some of an organization. */
  const process = async () => {
    await database.rows(`update alert_derivation set derived_at = '-infinity'`);
    return new AlertTurns(database.pool, {}, { organization: 0 });
  };

  it('looks at some, and leaves the others to the next, also to that of another process', async () => {
    const site = await Site.create(database);
    const [dock, yard] = [await site.location('DOCK'), await site.location('YARD')];
    const readerId = await site.reader('reader', [dock, yard]);
    const old = await site.asset('OLD', 'E280');
    const recent = await site.asset('RECENT', 'E281');
    const read = (value: string, locationId: number, second: number) =>
      record(database, [aRead({ orgId: site.orgId, readerId, value, locationId, at: at(second) })]);
    await read('E280', dock, 10);
    await read('E281', dock, 10);
    await createRule(databaseOn(database.pool), TEST_ACTOR, Date.now() * 1_000, {
      ...{ orgId: site.orgId, validFrom: at(0) },
      ...{ kind: 'not_allowed', locationExternalKey: 'YARD' },
    });
    const alerted = async () => {
      const rows = await database.rows('select asset_id from alerts order by asset_id');
      return rows.map(({ asset_id: id }) => id);
    };
    await sealAll(database.url);
    const first = await process();
    while ((await first.take()) === 'behind') {}
    expect(await alerted()).to.deep.equal([]);
    await read('E280', yard, HOUR);
    await read('E281', yard, 10 * HOUR - 100);
    await sealAll(database.url);
    expect(await first.take()).to.equal('behind');
    expect(await alerted()).to.have.lengthOf(1);
    const second = await process();
    while ((await second.take()) === 'behind') {}
    expect(await alerted()).to.deep.equal([old, recent]);
  });

  it('takes some of the locations that were moved in the tree, and leaves the others to the next', async () => {
    const site = await Site.create(database, 'Mover');
    const [top, other] = [await site.location('TOP'), await site.location('OTHER')];
    await createRule(databaseOn(database.pool), TEST_ACTOR, Date.now() * 1_000, {
      ...{ orgId: site.orgId, validFrom: at(0) },
      ...{ kind: 'not_allowed', locationExternalKey: 'TOP' },
    });
    const waiting = async () => {
      const [row] = await database.rows<{ count: number }>(
        `select count(*)::integer as count from alert_revisions where org_id = $1 and subject = 'location'`,
        [site.orgId],
      );
      return row?.count;
    };
    const turns = await process();
    while ((await turns.take()) === 'behind') {}
    for (let count = 0; count < 30; count++) {
      await site.location(`BELOW-${count}`, top);
    }
    await database.rows('update locations set parent_id = $2 where org_id = $1 and parent_id = $3', [
      ...[site.orgId, other, top],
    ]);
    const before = (await waiting()) ?? 0;
    expect(before).to.be.at.least(30);
    expect(await turns.take()).to.equal('behind');
    expect(await waiting()).to.be.within(1, before - 1);
    while ((await turns.take()) === 'behind') {}
    expect(await waiting()).to.equal(0);
  });
});
