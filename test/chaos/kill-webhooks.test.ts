import { expect } from 'chai';
import { useDatabase } from '../support/database.ts';
import { appendMoves } from '../support/feed-rows.ts';
import type { Program } from '../support/process.ts';
import { randomSets } from '../support/random-sets.ts';
import { Site } from '../support/site.ts';
import { until } from '../support/subscribed-ingest.ts';
import { newWebhook } from '../support/webhooks.ts';
import { useDelivering } from './delivering.ts';
import { findDeliveryFaults, NO_DELIVERY_FAULTS } from './find-delivery-faults.ts';

const KILLS = randomSets(4);

const WEBHOOKS = 4;

describe('webhooks, while processes that deliver and receivers are killed', () => {
  const database = useDatabase();
  const delivering = useDelivering(database);

  async function kill(program: Program): Promise<void> {
    program.child.kill('SIGKILL');
    await program.ended;
  }

  const arrived = () => delivering.receiver.arrived();

  it('never go back for an asset, and tell one who remembers the last id per asset everything once', async () => {
    const site = await Site.create(database);
    const places = [await site.location('A'), await site.location('B')];
    const assets: number[] = [];
    for (let index = 0; index < 24; index++) {
      assets.push(await site.asset(`ASSET-${index}`));
    }
    const paths = Array.from({ length: WEBHOOKS }, (_, index) => `/${index}`);
    for (const path of paths) {
      await newWebhook(database, {
        orgId: site.orgId,
        url: `http://127.0.0.1:${delivering.receiver.port}${path}`,
      });
    }
    const processes = [await delivering.start(), await delivering.start()];
    let isWriting = true;
    let head = 0;
    const write = async () => {
      for (let at = 0; isWriting; at++) {
        const rows = assets.map((assetId) => ({ assetId, locationId: places[at % 2] ?? null }));
        head = await appendMoves(database, site.orgId, rows);
        // As fast as it is delivered, so that there is always something on its way and never much.
        await until(() => arrived().length > (head - 480) * WEBHOOKS || !isWriting);
      }
    };
    const writing = write();
    for (let count = 0; count < KILLS; count++) {
      const before = arrived().length;
      await until(() => arrived().length > before + 100);
      const which = count % processes.length;
      await kill(processes[which] as Program);
      processes[which] = await delivering.start();
      if (count % 2 === 0) {
        await delivering.receiver.kill();
      }
    }
    isWriting = false;
    await writing;
    await until(() => {
      if (arrived().length < head * WEBHOOKS) {
        return false;
      }
      const all = new Set(arrived().map(({ path, position }) => `${path} ${position}`));
      return all.size === head * WEBHOOKS;
    });
    const everything = new Set(Array.from({ length: head }, (_, index) => index + 1));
    const wanted = new Map(paths.map((path) => [path, everything]));
    expect(findDeliveryFaults(wanted, arrived())).to.deep.equal(NO_DELIVERY_FAULTS);
  });
});
