import { expect } from 'chai';
import type { Attempt } from '../../domain/webhooks/sending/deliver.ts';
import { RETRY_LADDER } from '../../domain/webhooks/sending/retry-ladder.ts';
import { useDatabase } from '../support/database.ts';
import { appendMoves } from '../support/feed-rows.ts';
import { Link } from '../support/link.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { Site } from '../support/site.ts';
import { until } from '../support/subscribed-ingest.ts';
import { newWebhook, startDeliverer } from '../support/webhooks.ts';
import { findDeliveryFaults, NO_DELIVERY_FAULTS } from './find-delivery-faults.ts';

/** An hour in a second. */
const SCALE = 3_600;

/** Of the 360,000 that an hour at 100 a second has: those of 20 seconds. */
const EVENTS = 2_000;

const BATCHES = 20;

describe('a receiver of webhooks that is down for an hour, scaled down in time', () => {
  const database = useDatabase();
  let receiver: Receiver;
  let link: Link;

  before(async () => {
    receiver = await startReceiver();
    link = await Link.open({ host: '127.0.0.1', port: receiver.port });
  });

  after(async () => {
    await link.close();
    await receiver.close();
  });

  it('is told of everything in order once it is back, and the log tells of it in one line', async () => {
    const site = await Site.create(database);
    const places = [await site.location('A'), await site.location('B')];
    const assets: number[] = [];
    for (let index = 0; index < 50; index++) {
      assets.push(await site.asset(`ASSET-${index}`));
    }
    await newWebhook(database, { orgId: site.orgId, url: `http://127.0.0.1:${link.port}/` });
    const attempts: Attempt[] = [];
    const { said, stop } = await startDeliverer(database, {
      ladder: RETRY_LADDER.map((seconds) => seconds / SCALE),
      onAttempt: (attempt) => attempts.push(attempt),
    });
    try {
      link.cut();
      const began = performance.now();
      for (let batch = 0; batch < BATCHES; batch++) {
        const rows = Array.from({ length: EVENTS / BATCHES }, (_, index) => ({
          assetId: assets[index % assets.length] ?? 0,
          locationId: places[(batch + index) % 2] ?? null,
        }));
        await appendMoves(database, site.orgId, rows);
        await until(() => performance.now() - began > ((batch + 1) * 1_000) / BATCHES);
      }
      // Every lane has tried more than once, so that none of them begins with what is new.
      await until(() => attempts.length >= 16);
      const failed = attempts.length;
      const told = () => said.filter((line) => line.startsWith('Webhook receiver'));
      // Also by a process that starts anew, which one is that could not renew its lease on a busy machine.
      const starts = () => 1 + said.filter((line) => line.startsWith('Webhooks left')).length;
      expect(told()[0]).to.equal('Webhook receiver does not take its events; they wait and will be retried');
      expect(told().length).to.be.at.most(starts());
      expect(receiver.received).to.have.length(0);
      link.mend();
      const arrived = () => receiver.received.map(({ path, body }) => ({ path, ...arrivalOf(body) }));
      const isBack = () => told().at(-1) === 'Webhook receiver takes its events again';
      await until(() => receiver.received.length >= EVENTS && (isBack() || starts() > 1));
      const everything = new Set(Array.from({ length: EVENTS }, (_, index) => index + 1));
      expect(findDeliveryFaults(new Map([['/', everything]]), arrived())).to.deep.equal(NO_DELIVERY_FAULTS);
      expect(told().length).to.be.at.most(2 * starts());
      // Eight lanes and the steps of the ladder, and not the events that wait.
      expect(failed).to.be.at.most(8 * RETRY_LADDER.length * starts());
    } finally {
      await stop();
    }
  });
});

function arrivalOf(body: string): { asset: number; position: number } {
  const { data } = JSON.parse(body);
  return { asset: data.asset.id, position: data.position };
}
