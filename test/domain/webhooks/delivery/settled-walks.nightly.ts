import { setTimeout as until } from 'node:timers/promises';
import { expect } from 'chai';
import { MICROS_PER_SECOND } from '../../../../base/instant.ts';
import type { MoveEvent } from '../../../../domain/moves/event.ts';
import { sealBatch } from '../../../../domain/moves/sealing/seal-batch.ts';
import { useDatabase } from '../../../support/database.ts';
import { readExpected, readMeasured } from '../../../support/location/measured.ts';
import { installMeasured, scanOf, storedMoves } from '../../../support/location/measured-site.ts';
import { onlyTags, recordBatches } from '../../../support/location/play.ts';
import { startReceiver } from '../../../support/receiver.ts';
import { aMemory } from '../../../support/recording.ts';
import { newWebhook, startDeliverer } from '../../../support/webhooks.ts';

const STEP = MICROS_PER_SECOND / 2;

/** Events for each final transition, at most. */
const MOST = 1.1;

describe('webhooks of the walks with true positions, as they are walked', function () {
  this.timeout(600_000);

  const database = useDatabase();

  it('are sent about one event for each final transition after 5 s, and none that takes back what the one before said', async () => {
    const walks = onlyTags(readMeasured(), (tag) => tag.startsWith('walk'));
    const site = await installMeasured(database, walks, 'zones4', 'strength');
    const { orgId } = site;
    const receiver = await startReceiver();
    const paths = { '/at-once': 0, '/settled': 5 };
    const webhooks: number[] = [];
    for (const [path, settleSeconds] of Object.entries(paths)) {
      const url = receiver.url.replace(/\/$/, path);
      webhooks.push((await newWebhook(database, { orgId, url, settleSeconds })).id);
    }
    const deliverer = await startDeliverer(database);
    const memory = aMemory();
    const begun = performance.now();
    const reads = [...walks.reads].flatMap(([tag, own]) =>
      own.map((read) => ({
        step: Math.floor((read.at - (own[0]?.at ?? 0)) / STEP),
        scan: scanOf(site, tag, read),
      })),
    );
    const steps = [...Map.groupBy(reads, ({ step }) => step)].sort(([a], [b]) => a - b);
    for (const [step, read] of steps) {
      // At the end of the half second.
      await until(Math.max(0, begun + ((step + 1) * STEP) / 1_000 - performance.now()));
      await recordBatches(database.pool, [read.map(({ scan }) => scan)], memory);
      await sealBatch(database.pool, [{ orgId, after: 0, share: 1_000 }]);
    }
    const [feed] = await database.rows<{ head: number }>('select head from move_heads where org_id = $1', [
      orgId,
    ]);
    const reached = async () =>
      (
        await database.rows<{ lowest: number }>(
          'select min(position)::int4 as lowest from webhook_lanes where webhook_id = any ($1)',
          [webhooks],
        )
      )[0]?.lowest === feed?.head;
    while (!(await reached())) {
      await until(200);
    }
    await deliverer.stop();
    await receiver.close();

    const moves = await storedMoves(database, site);
    const expected = Object.entries(readExpected()['zones4 strength']?.moves ?? {});
    expect(moves).to.deep.equal(Object.fromEntries(expected.filter(([tag]) => walks.reads.has(tag))));
    const transitions = Object.values(moves).flat().length;
    const told = (path: string) =>
      receiver.received.filter((each) => each.path === path).map(({ body }): MoveEvent => JSON.parse(body));
    const [atOnce, settled] = [told('/at-once'), told('/settled')];
    console.log(`${transitions} transitions: ${atOnce.length} events at once, ${settled.length} after 5 s`);
    expect(settled.length / transitions).to.be.at.most(MOST);
    expect(settled.length).to.be.below(atOnce.length);
    for (const own of Map.groupBy(settled, ({ data }) => data.asset.id).values()) {
      const states = statesAfter(own);
      for (const [index, state] of states.entries()) {
        expect(state, 'an event cancels the one before').to.not.equal(states[index - 2]);
      }
    }
  });
});

/** The histories that a consumer has: the empty one, and that after each event. */
function statesAfter(events: readonly MoveEvent[]): string[] {
  const rows = new Map<string, string>();
  return [
    '[]',
    ...events.map(({ data }) => {
      for (const { row } of data.removed) {
        rows.delete(row);
      }
      for (const { row, location_external_key: location } of [...data.added, ...data.changed]) {
        rows.set(row, location);
      }
      return JSON.stringify([...rows].sort());
    }),
  ];
}
