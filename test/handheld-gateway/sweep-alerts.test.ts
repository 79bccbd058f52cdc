import { expect } from 'chai';
import { databaseOn } from '../../db/timescale/connections/database.ts';
import { AlertTurns } from '../../domain/alerts/deriving/take-turn.ts';
import { createRule } from '../../domain/alerts/rules/create-rule.ts';
import { TEST_ACTOR } from '../support/actor.ts';
import { useGateway } from '../support/gateway.ts';
import { ago, aScan, aSubmission } from '../support/new-submission.ts';
import { aSweep } from '../support/new-sweep.ts';

describe('a sweep that does not find an asset', () => {
  const gateway = useGateway();
  const { database } = gateway;

  it('raises the alert within seconds, at a location that no reader watches', async () => {
    const dock = await gateway.site.location('DOCK-1');
    const lift = await gateway.site.asset('LIFT-1', 'E280AA');
    await gateway.submit(aSubmission([aScan('E280AA', 1_200)], { location: { id: dock } }));
    await createRule(databaseOn(database.pool), TEST_ACTOR, Date.now() * 1_000, {
      ...{ orgId: gateway.site.orgId, kind: 'overdue', after: 3_600_000_000 },
      validFrom: (Date.now() - 3_600_000) * 1_000,
    });
    const turns = new AlertTurns(database.pool);
    const derive = async () => {
      while ((await turns.take()) === 'behind') {}
      return database.rows(
        `select asset_id, state, because ->> 'state' as presence, because ->> 'sweep_id' as sweep
         from alerts where org_id = $1`,
        [gateway.site.orgId],
      );
    };
    expect(await derive()).to.deep.equal([]);
    const sweep = aSweep({ expected: [lift], missing: [lift], ended_at: ago(0) });
    const answer = await gateway.call({ method: 'POST', path: '/handheld/v1/sweeps', json: sweep });
    expect(answer.status, answer.text).to.equal(201);
    // The process that has derived before, as it goes on.
    const until = performance.now() + 20_000;
    let alerts = await derive();
    while (alerts.length === 0 && performance.now() < until) {
      alerts = await derive();
    }
    expect(alerts).to.deep.equal([
      { asset_id: lift, state: 'open', presence: 'missing', sweep: sweep.sweep_id },
    ]);
    const left = 'select from alert_revisions where org_id = $1';
    expect(await database.rows(left, [gateway.site.orgId])).to.deep.equal([]);
  });
});
