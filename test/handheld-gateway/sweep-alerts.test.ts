import { expect } from 'chai';
import { databaseOn } from '../../db/timescale/connections/database.ts';
import { createRule } from '../../domain/alerts/rules/create-rule.ts';
import { TEST_ACTOR } from '../support/actor.ts';
import { useGateway } from '../support/gateway.ts';
import { ago, aScan, aSubmission } from '../support/new-submission.ts';
import { aSweep } from '../support/new-sweep.ts';
import { until } from '../support/subscribed-ingest.ts';
import { useWorker } from '../support/worker.ts';

describe('a sweep that does not find an asset', () => {
  const gateway = useGateway();
  const { database } = gateway;
  useWorker(database);

  it('raises the alert within seconds, at a site that has no reader and no ingestion', async () => {
    const dock = await gateway.site.location('DOCK-1');
    const lift = await gateway.site.asset('LIFT-1', 'E280AA');
    await gateway.submit(aSubmission([aScan('E280AA', 1_200)], { location: { id: dock } }));
    await createRule(databaseOn(database.pool), TEST_ACTOR, Date.now() * 1_000, {
      ...{ orgId: gateway.site.orgId, kind: 'overdue', after: 3_600_000_000 },
      validFrom: (Date.now() - 3_600_000) * 1_000,
    });
    const alerts = () =>
      database.rows(
        `select asset_id, state, because ->> 'state' as presence, because ->> 'sweep_id' as sweep
         from alerts where org_id = $1`,
        [gateway.site.orgId],
      );
    const derived = 'select from alert_derivation where caught_up_at is not null';
    await until(async () => (await database.rows(derived)).length > 0);
    expect(await alerts()).to.deep.equal([]);
    const sweep = aSweep({ expected: [lift], missing: [lift], ended_at: ago(0) });
    const answer = await gateway.call({ method: 'POST', path: '/handheld/v1/sweeps', json: sweep });
    expect(answer.status, answer.text).to.equal(201);
    await until(async () => (await alerts()).length > 0);
    expect(await alerts()).to.deep.equal([
      { asset_id: lift, state: 'open', presence: 'missing', sweep: sweep.sweep_id },
    ]);
    const left = 'select from alert_revisions where org_id = $1';
    await until(async () => (await database.rows(left, [gateway.site.orgId])).length === 0);
  });
});
