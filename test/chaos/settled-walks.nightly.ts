import { setTimeout as until } from 'node:timers/promises';
import { expect } from 'chai';
import { MICROS_PER_SECOND } from '../../base/instant.ts';
import { databaseOn } from '../../db/timescale/connections/database.ts';
import type { MoveEvent } from '../../domain/moves/event.ts';
import { sealBatch } from '../../domain/moves/sealing/seal-batch.ts';
import { setWebhook } from '../../domain/webhooks/set-webhook.ts';
import { TEST_ACTOR } from '../support/actor.ts';
import { useDatabase } from '../support/database.ts';
import { readExpected, readMeasured } from '../support/location/measured.ts';
import { installMeasured, scanOf, storedMoves } from '../support/location/measured-site.ts';
import { onlyTags, recordBatches } from '../support/location/play.ts';
import { aMemory } from '../support/recording.ts';
import { newWebhook, SETTINGS } from '../support/webhooks.ts';
import { useDelivering } from './delivering.ts';

const STEP = MICROS_PER_SECOND / 2;

/** Events for each final transition, at most. */
const MOST = 1.1;

describe('webhooks of the walks with true positions, as they are walked', function () {
  this.timeout(600_000);

  const database = useDatabase();
  const delivering = useDelivering(database);

  it('are sent about one event for each final transition after 5 s, and none that takes back what the one before said, also when paused and killed', async () => {
    const walks = onlyTags(readMeasured(), (tag) => tag.startsWith('walk'));
    const site = await installMeasured(database, walks, 'zones4', 'strength');
    const { orgId } = site;
    const webhooks: Record<string, number> = {};
    for (const [path, settleSeconds] of Object.entries({ '/at-once': 0, '/settled': 5, '/paused': 5 })) {
      const url = `http://127.0.0.1:${delivering.receiver.port}${path}`;
      webhooks[path] = (await newWebhook(database, { orgId, url, settleSeconds })).id;
    }
    const set = (state: 'paused' | 'on') =>
      setWebhook(
        databaseOn(database.pool),
        TEST_ACTOR,
        SETTINGS,
        { orgId: null, id: webhooks['/paused'] ?? 0 },
        { state },
      );
    let deliverer = await delivering.start();
    const restart = async () => {
      deliverer.child.kill('SIGKILL');
      await deliverer.ended;
      deliverer = await delivering.start();
    };
    const memory = aMemory();
    const begun = performance.now();
    const reads = [...walks.reads].flatMap(([tag, own]) =>
      own.map((read) => ({
        step: Math.floor((read.at - (own[0]?.at ?? 0)) / STEP),
        scan: scanOf(site, tag, read),
      })),
    );
    const steps = [...Map.groupBy(reads, ({ step }) => step)].sort(([a], [b]) => a - b);
    const tenth = Math.floor(steps.length / 10);
    const meanwhile = new Map<number, () => Promise<unknown>>([
      [2 * tenth, () => set('paused')],
      [4 * tenth, restart],
      [5 * tenth, () => set('on')],
      [6 * tenth, () => delivering.receiver.kill()],
      [8 * tenth, restart],
    ]);
    const interruptions: Promise<unknown>[] = [];
    for (const [index, [step, read]] of steps.entries()) {
      // At the end of the half second.
      await until(Math.max(0, begun + ((step + 1) * STEP) / 1_000 - performance.now()));
      interruptions.push(meanwhile.get(index)?.() ?? Promise.resolve());
      await recordBatches(database.pool, [read.map(({ scan }) => scan)], memory);
      await sealBatch(database.pool, [{ orgId, after: 0, share: 1_000 }]);
    }
    await Promise.all(interruptions);
    const [feed] = await database.rows<{ head: number }>('select head from move_heads where org_id = $1', [
      orgId,
    ]);
    const reached = async () =>
      (
        await database.rows<{ lowest: number }>(
          'select min(position)::int4 as lowest from webhook_lanes where webhook_id = any ($1)',
          [Object.values(webhooks)],
        )
      )[0]?.lowest === feed?.head;
    while (!(await reached())) {
      await until(200);
    }

    const moves = await storedMoves(database, site);
    const expected = Object.entries(readExpected()['zones4 strength']?.moves ?? {});
    expect(moves).to.deep.equal(Object.fromEntries(expected.filter(([tag]) => walks.reads.has(tag))));
    const transitions = Object.values(moves).flat().length;
    /** Each once, however often it was sent. */
    const told = (path: string) => {
      const bodies = delivering.receiver.arrived().filter((each) => each.path === path);
      const events = new Set(bodies.map(({ body }) => body));
      expect(events.size, 'sent again otherwise').to.equal(new Set(bodies.map((each) => each.position)).size);
      return [...events].map((body): MoveEvent => JSON.parse(body));
    };
    const atOnce = told('/at-once');
    const last = lastStates(atOnce);
    for (const path of ['/settled', '/paused']) {
      const settled = told(path);
      console.log(
        `${transitions} transitions: ${atOnce.length} events at once, ${settled.length} after 5 s at ${path}`,
      );
      expect(settled.length / transitions).to.be.at.most(MOST);
      expect(settled.length).to.be.below(atOnce.length);
      expect(lastStates(settled)).to.deep.equal(last);
      for (const own of Map.groupBy(settled, ({ data }) => data.asset.id).values()) {
        const states = statesAfter(own);
        for (const [index, state] of states.entries()) {
          expect(state, 'an event cancels the one before').to.not.equal(states[index - 2]);
        }
      }
    }
  });
});

function lastStates(events: readonly MoveEvent[]): Map<number, string | undefined> {
  const byAsset = Map.groupBy(events, ({ data }) => data.asset.id);
  return new Map([...byAsset].sort(([a], [b]) => a - b).map(([id, own]) => [id, statesAfter(own).at(-1)]));
}

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
