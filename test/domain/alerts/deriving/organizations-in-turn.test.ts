import { expect } from 'chai';
import { MICROS_PER_SECOND, type Micros } from '../../../../base/instant.ts';
import { databaseOn } from '../../../../db/timescale/connections/database.ts';
import { inTransaction } from '../../../../db/timescale/connections/transaction.ts';
import { AlertTurns } from '../../../../domain/alerts/deriving/take-turn.ts';
import { createRule } from '../../../../domain/alerts/rules/create-rule.ts';
import { isAlert } from '../../../../domain/moves/event.ts';
import { readMoves } from '../../../../domain/moves/read-moves.ts';
import { TEST_ACTOR } from '../../../support/actor.ts';
import { useDatabase } from '../../../support/database.ts';
import { aRead, record } from '../../../support/recording.ts';
import { sealAll } from '../../../support/seal-all.ts';
import { Site } from '../../../support/site.ts';
import { untilWaiting } from '../../../support/until-waiting.ts';

describe('organizations with alerts to derive in the same turn', () => {
  const database = useDatabase();
  const beginning = Date.now() * 1_000 - 3_600 * MICROS_PER_SECOND;
  const at = (second: number): Micros => beginning + second * MICROS_PER_SECOND;

  beforeEach(() => database.rows(`update alert_derivation set derived_at = '-infinity'`));

  /** Assets must not be in the yard. */
  const furnish = async (name: string, assets = 1) => {
    const site = await Site.create(database, name);
    const { orgId } = site;
    const [dock, yard] = [await site.location('DOCK'), await site.location('YARD')];
    const readerId = await site.reader(name, [dock, yard]);
    for (let asset = 0; asset < assets; asset++) {
      await site.asset(`PALLET-${asset}`, `E28${asset}`);
    }
    await createRule(databaseOn(database.pool), TEST_ACTOR, Date.now() * 1_000, {
      ...{ orgId, kind: 'not_allowed', locationExternalKey: 'YARD', validFrom: at(0) },
    });
    const read = (locationId: number, second: number, asset = 0) =>
      record(database, [aRead({ orgId, readerId, value: `E28${asset}`, locationId, at: at(second) })]);
    return { orgId, dock, yard, read };
  };
  const deriveAll = async (turns = new AlertTurns(database.pool)) => {
    await sealAll(database.url);
    while ((await turns.take()) === 'behind') {}
  };
  const statesOf = async (orgId: number) => {
    const rows = await database.rows<{ state: string }>(
      'select state from alerts where org_id = $1 order by opened_at',
      [orgId],
    );
    return rows.map(({ state }) => state);
  };
  const toldOf = async (orgId: number) => {
    await sealAll(database.url);
    const { events } = await readMoves({ ...databaseOn(database.pool), orgId }, { after: 0, limit: 100 });
    return events.filter(isAlert).map(({ data }) => data.alert.state);
  };

  it('have theirs committed before others are derived, and once, even if the process is killed then', async () => {
    const [first, second] = [await furnish('first'), await furnish('second')];
    await second.read(second.yard, 10);
    const turns = new AlertTurns(database.pool);
    await deriveAll(turns);
    await first.read(first.yard, 20);
    await second.read(second.dock, 20);
    await sealAll(database.url);
    const ended = await inTransaction(database.pool, async (transaction) => {
      await transaction.query('select from alerts where org_id = $1 for update', [second.orgId]);
      const turn = turns.take().then(
        () => 'carried out',
        () => 'killed',
      );
      await untilWaiting(database, 1);
      expect(await statesOf(first.orgId)).to.deep.equal(['open']);
      await database.rows(
        `select pg_terminate_backend(pid, 10_000) from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock'`,
      );
      return turn;
    });
    expect(ended).to.equal('killed');
    expect(await statesOf(second.orgId)).to.deep.equal(['open']);
    await database.rows(`update alert_derivation set derived_at = '-infinity'`);
    await deriveAll();
    expect(await statesOf(first.orgId)).to.deep.equal(['open']);
    expect(await statesOf(second.orgId)).to.deep.equal(['closed']);
    expect(await toldOf(first.orgId)).to.deep.equal(['open']);
    expect(await toldOf(second.orgId)).to.deep.equal(['open', 'closed']);
  });

  it('do not wait until one with much to derive is done', async () => {
    const [much, little] = [await furnish('much', 2), await furnish('little')];
    const told: number[] = [];
    const turns = new AlertTurns(
      database.pool,
      { onTold: (orgIds) => told.push(...orgIds) },
      { organization: 0 },
    );
    await deriveAll(turns);
    // Evidence from such different times is loaded for one asset after the other.
    await much.read(much.yard, 10, 0);
    await much.read(much.yard, 3_500, 1);
    await little.read(little.yard, 10);
    await sealAll(database.url);
    expect(await turns.take()).to.equal('behind');
    expect(told).to.have.members([much.orgId, little.orgId]);
    expect(await statesOf(much.orgId)).to.have.lengthOf(1);
    expect(await statesOf(little.orgId)).to.deep.equal(['open']);
    await deriveAll(turns);
    expect(await statesOf(much.orgId)).to.deep.equal(['open', 'open']);
  });
});
