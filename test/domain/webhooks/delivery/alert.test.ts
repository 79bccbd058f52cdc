import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';
import { databaseOn } from '../../../../db/timescale/connections/database.ts';
import { inTransaction } from '../../../../db/timescale/connections/transaction.ts';
import { AlertTurns } from '../../../../domain/alerts/deriving/take-turn.ts';
import { createRule } from '../../../../domain/alerts/rules/create-rule.ts';
import { takeBack } from '../../../../domain/tracking/retractions/retract.ts';
import { TEST_ACTOR } from '../../../support/actor.ts';
import { useDatabase } from '../../../support/database.ts';
import { type Receiver, startReceiver } from '../../../support/receiver.ts';
import { aRead, record } from '../../../support/recording.ts';
import { sealAll } from '../../../support/seal-all.ts';
import { Site } from '../../../support/site.ts';
import { until } from '../../../support/subscribed-ingest.ts';
import { newWebhook, startDeliverer } from '../../../support/webhooks.ts';

describe('a webhook and alerts', () => {
  const database = useDatabase();
  const receivers: Receiver[] = [];
  database.beforeDrop(() => Promise.all(receivers.map((receiver) => receiver.close())));

  it('is sent those that are opened and over, in their order, and of a location those there', async () => {
    const site = await Site.create(database);
    const { orgId } = site;
    const [dock, yard] = [await site.location('DOCK'), await site.location('YARD')];
    const readerId = await site.reader('portal', [dock, yard]);
    const pallet = await site.asset('PALLET', 'E280');
    const now = Date.now() * 1_000 - 3_600_000_000;
    await createRule(databaseOn(database.pool), TEST_ACTOR, Date.now() * 1_000, {
      ...{ orgId, kind: 'not_allowed', name: 'Not in the yard', locationExternalKey: 'YARD', validFrom: now },
    });
    const [all, ofYard, ofDock] = [await startReceiver(), await startReceiver(), await startReceiver()];
    receivers.push(all, ofYard, ofDock);
    const { secret } = await newWebhook(database, { orgId, url: all.url });
    await newWebhook(database, { orgId, url: ofYard.url, locationExternalKey: 'YARD' });
    await newWebhook(database, { orgId, url: ofDock.url, locationExternalKey: 'DOCK' });
    const { stop } = await startDeliverer(database);
    database.beforeDrop(stop);

    const turns = new AlertTurns(database.pool);
    await turns.take();
    for (const [second, locationId] of [dock, yard, dock].entries()) {
      await record(database, [
        aRead({ orgId, readerId, value: 'E280', locationId, at: now + (1 + second) * 60_000_000 }),
      ]);
      await sealAll(database.url);
      while ((await turns.take()) === 'behind') {}
      await sealAll(database.url);
    }
    await all.got(5);
    for (const { body, headers } of all.received) {
      new Webhook(secret).verify(body, headers as Record<string, string>);
    }
    const alertsTo = ({ received }: Receiver) =>
      received.flatMap(({ body }) => {
        const { type, subject, data } = JSON.parse(body);
        return data.alert === undefined ? [] : [{ type, subject, ...data.alert }];
      });
    const [opened, closed] = alertsTo(all);
    expect([opened.type, closed.type]).to.deep.equal([
      'tagtrail.alert.opened.v1',
      'tagtrail.alert.closed.v1',
    ]);
    expect(opened).to.deep.include({
      ...{ subject: `alerts/${opened.id}`, state: 'open', kind: 'not_allowed' },
      asset: { id: pallet, external_key: 'PALLET' },
      location: { id: yard, external_key: 'YARD' },
    });
    expect(closed).to.include({ id: opened.id, state: 'closed' });
    await ofYard.got(4);
    expect(alertsTo(ofYard)).to.deep.equal([opened, closed]);
    expect(alertsTo(ofDock)).to.deep.equal([]);
    await stop();
  });

  it('is withdrawn within seconds with the history that raised it, and not sent where it was waited for', async () => {
    const site = await Site.create(database);
    const { orgId } = site;
    const [dock, yard] = [await site.location('DOCK'), await site.location('YARD')];
    const pallet = await site.asset('PALLET', 'E281');
    const now = Date.now() * 1_000 - 60_000_000;
    await createRule(databaseOn(database.pool), TEST_ACTOR, Date.now() * 1_000, {
      ...{ orgId, kind: 'not_allowed', name: 'Not in the yard', locationExternalKey: 'YARD', validFrom: now },
    });
    const [calm, hasty] = [await startReceiver(), await startReceiver()];
    receivers.push(calm, hasty);
    await newWebhook(database, { orgId, url: calm.url, settleSeconds: 10 });
    await newWebhook(database, { orgId, url: hasty.url });
    const { stop } = await startDeliverer(database);
    database.beforeDrop(stop);
    const turns = new AlertTurns(database.pool);
    await turns.take();
    const source = { kind: 'handheld', handheldId: 1, submissionId: 'S', index: 0 } as const;
    const at = now + 20_000_000;
    await record(database, [
      aRead({ orgId, readerId: 1, value: 'E281', locationId: dock, at: now + 10_000_000 }),
    ]);
    await record(database, [
      { ...aRead({ orgId, readerId: 1, value: 'E281', locationId: yard, at }), source },
    ]);
    const tell = async () => {
      await sealAll(database.url);
      while ((await turns.take()) === 'behind') {}
      await sealAll(database.url);
    };
    await tell();
    const state = async () =>
      (await database.rows<{ state: string }>('select state from alerts where org_id = $1', [orgId]))[0]
        ?.state;
    expect(await state()).to.equal('open');
    const began = performance.now();
    await inTransaction(database.pool, (client) =>
      takeBack(client, [
        { orgId, assetId: pallet, observedAt: at, submissionId: 'S', index: 0, retractionId: 'R' },
      ]),
    );
    await tell();
    expect(await state()).to.equal('withdrawn');
    expect(performance.now() - began).to.be.below(30_000);
    const typesTo = ({ received }: Receiver) => received.map(({ body }) => JSON.parse(body).type);
    await hasty.got(5);
    expect(typesTo(hasty).filter((type) => type.includes('alert'))).to.deep.equal([
      'tagtrail.alert.opened.v1',
      'tagtrail.alert.withdrawn.v1',
    ]);
    await until(async () => {
      const [row] = await database.rows<{ behind: number }>(
        `select (feed.head - min(lane.position))::int4 as behind from webhook_lanes lane
         join move_heads feed using (org_id) where org_id = $1 group by feed.head`,
        [orgId],
      );
      return row?.behind === 0;
    });
    expect(typesTo(calm)).to.deep.equal(['tagtrail.asset.moved.v1']);
    await stop();
  });
});
