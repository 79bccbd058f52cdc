import { expect } from 'chai';
import { MICROS_PER_SECOND, type Micros } from '../../../../base/instant.ts';
import { databaseOn } from '../../../../db/timescale/connections/database.ts';
import { loadAssetEvidence } from '../../../../domain/alerts/conditions/load-asset-evidence.ts';
import { stretchesOf } from '../../../../domain/alerts/conditions/rule-kinds.ts';
import { AlertTurns } from '../../../../domain/alerts/deriving/take-turn.ts';
import { createRule, type NewRule } from '../../../../domain/alerts/rules/create-rule.ts';
import { loadRules } from '../../../../domain/alerts/rules/load-rules.ts';
import { ALERT_TYPES } from '../../../../domain/moves/alert-event.ts';
import { isAlert } from '../../../../domain/moves/event.ts';
import { readMoves } from '../../../../domain/moves/read-moves.ts';
import { TEST_ACTOR } from '../../../support/actor.ts';
import { useDatabase } from '../../../support/database.ts';
import { Random } from '../../../support/random.ts';
import { itByNight } from '../../../support/random-sets.ts';
import { aRead, record } from '../../../support/recording.ts';
import { sealAll } from '../../../support/seal-all.ts';
import { Site } from '../../../support/site.ts';

const ROUNDS = 5;
const SPAN = 1_200;
const MINUTE = 60 * MICROS_PER_SECOND;

describe('deriving alerts by two processes', () => {
  const database = useDatabase();

  /** As if whoever derives had said nothing for long. */
  const forgetDeriver = () => database.rows(`update alert_derivation set derived_at = '-infinity'`);

  /**
   * Ends the session of a turn, wherever it is. Waits for its end: a turn may be over before the signal comes, and its
   * connection would be given to somebody else.
   */
  const killTurn = () =>
    database.rows(
      `select pg_terminate_backend(pid, 10_000) from pg_stat_activity
       where datname = current_database() and application_name = 'test' and xact_start is not null
         and pid <> pg_backend_pid()`,
    );

  /** An organization with three assets, three locations and three rules. */
  const furnish = async (name: string, validFrom: Micros) => {
    const site = await Site.create(database, name);
    const { orgId } = site;
    const places = [await site.location('DOCK'), await site.location('YARD'), await site.location('HALL')];
    const readerId = await site.reader(`reader-${orgId}`, places);
    const assets = [];
    for (const key of ['a', 'b', 'c']) {
      assets.push(await site.asset(key, `E28${key}`));
    }
    const rule = (wanted: Omit<NewRule, 'orgId'>) =>
      createRule(databaseOn(database.pool), TEST_ACTOR, Date.now() * 1_000, { orgId, validFrom, ...wanted });
    await rule({ kind: 'not_allowed', locationExternalKey: 'YARD' });
    await rule({ kind: 'dwell', locationExternalKey: 'HALL', after: MINUTE, thenAfter: 3 * MINUTE });
    await rule({ kind: 'must_be', locationExternalKey: 'DOCK', after: 2 * MINUTE });
    return { orgId, places, readerId, assets };
  };

  /** What is stored and told of an organization, with what its evidence says. */
  const compare = async (
    round: string,
    { orgId, assets, beginning }: { orgId: number; assets: readonly number[]; beginning: Micros },
    tally: { alerts: number; withdrawn: number },
  ) => {
    const db = databaseOn(database.pool);
    const rules = await loadRules(db, [orgId], beginning);
    const window = { since: beginning, until: Date.now() * 1_000 };
    const { assets: evidence, around } = await loadAssetEvidence(db, orgId, rules, assets, window);
    const expected = evidence.flatMap((asset) =>
      rules.flatMap((one) =>
        stretchesOf([one], asset, around).map(({ since, until, level }) => ({
          ...{ asset_id: asset.assetId, rule_id: one.ruleId, opened: since, closed: until, level },
        })),
      ),
    );
    const stored = await database.rows(
      `select asset_id, rule_id, micros_of_time(opened_at) as opened, micros_of_time(closed_at) as closed, level
       from alerts where org_id = $1 and state <> 'withdrawn'`,
      [orgId],
    );
    expect(stored, round).to.have.deep.members(expected);

    const { events, head } = await readMoves({ ...db, orgId }, { after: 0, limit: 10_000 });
    expect(events.map(({ data }) => data.position)).to.deep.equal(
      Array.from({ length: head }, (_, index) => index + 1),
    );
    const told = Map.groupBy(events.filter(isAlert), ({ data }) => data.alert.id);
    const states = await database.rows<{ id: string; state: string }>(
      'select id, state from alerts where org_id = $1',
      [orgId],
    );
    expect([...told.keys()]).to.have.members(states.map(({ id }) => id));
    for (const { id, state } of states) {
      const own = told.get(id) ?? [];
      expect(own[0]?.type).to.equal(ALERT_TYPES.alert_opened);
      expect(own.at(-1)?.data.alert.state).to.equal(state);
      const said = own.map(({ type, data }) => `${type} ${data.alert.level}`);
      expect(said.every((each, index) => each !== said[index - 1])).to.equal(true);
    }
    tally.alerts += stored.length;
    tally.withdrawn += states.filter(({ state }) => state === 'withdrawn').length;
  };

  itByNight(
    'makes one alert of each stretch and tells each change once, whatever comes late, and whoever is killed',
    async () => {
      const tally = { alerts: 0, withdrawn: 0, killed: 0 };
      for (let round = 0; round < ROUNDS; round++) {
        const random = new Random(77, round);
        const beginning = Date.now() * 1_000 - 2 * SPAN * MICROS_PER_SECOND;
        const at = (second: number): Micros => beginning + second * MICROS_PER_SECOND;
        const sites = [
          await furnish(`Round ${round}`, at(0)),
          await furnish(`Round ${round}, another`, at(0)),
        ] as const;

        const waiting = Array.from({ length: 60 }, () => {
          const { orgId, readerId, places } = random.pick(sites);
          const [value, locationId] = [`E28${random.pick(['a', 'b', 'c'])}`, random.pick(places)];
          return { orgId, readerId, value, locationId, at: at(1 + random.below(SPAN)) };
        });
        const processes = [new AlertTurns(database.pool), new AlertTurns(database.pool)];
        while (waiting.length > 0) {
          const come = waiting.splice(random.below(waiting.length), 1 + random.below(8));
          if (come.length > 0) {
            await record(
              database,
              come.map((read) => aRead(read)),
              Date.now() * 1_000,
            );
          }
          if (random.once(2)) {
            await sealAll(database.url);
          }
          if (random.once(3)) {
            await forgetDeriver();
          }
          const turn = random.pick(processes).take();
          if (random.once(3)) {
            const ended = turn.then(
              () => 'carried out',
              () => 'killed',
            );
            await killTurn();
            tally.killed += (await ended) === 'killed' ? 1 : 0;
          } else {
            await turn;
          }
        }
        await forgetDeriver();
        const last = new AlertTurns(database.pool);
        while ((await last.take()) === 'behind') {}
        await sealAll(database.url);

        for (const { orgId, assets } of sites) {
          await compare(`round ${round}`, { orgId, assets, beginning }, tally);
        }
      }
      expect(tally.alerts).to.be.above(40);
      expect(tally.withdrawn).to.be.above(0);
      expect(tally.killed).to.be.above(0);
    },
  );
});
