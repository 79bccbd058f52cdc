import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import type { ReadMessage } from '../../../domain/messages/message.ts';
import { MessageAsRead } from '../../../domain/messages/message.ts';
import { countItems } from '../../../domain/messages/reader-counters.ts';
import { HeavyOrganizations } from '../../../domain/tracking/location/heavy-organizations.ts';
import { ReaderLanes } from '../../../services/mqtt-ingest/intake/reader-lanes.ts';
import { useDatabase } from '../../support/database.ts';
import { openIntake } from '../../support/intake.ts';
import { Site } from '../../support/site.ts';

describe('large batches of an organization', () => {
  const database = useDatabase();

  it('leave others half as long as each took, before the next', async () => {
    const { batches, send } = await openLanes();
    const first = send('gate');
    const ofOther = send('other');
    await first;
    await send('gate');
    await send('gate');
    await ofOther;
    const ofOwn = batches.filter(({ topic }) => topic !== 'other');
    expect(ofOwn).to.have.length(3);
    for (const [index, { began }] of ofOwn.entries()) {
      const before = ofOwn[index - 1];
      if (before !== undefined) {
        expect(began - before.ended).to.be.at.least(0.4 * (before.ended - before.began));
      }
    }
    // Another organization does not wait for that.
    expect(batches.findIndex(({ topic }) => topic === 'other')).to.be.below(2);
  });

  it('do not rest once the process stops', async () => {
    const { lanes, batches, send } = await openLanes('yard', 'dock');
    await send('yard');
    const last = send('yard');
    await nextTurn();
    const draining = lanes.drain(0);
    await nextTurn();
    expect(batches).to.have.length(2);
    await Promise.all([last, draining]);
  });

  async function openLanes(ownReader = 'gate', otherReader = 'other') {
    const own = await Site.create(database);
    await own.reader(ownReader, [await own.location('YARD')]);
    const other = await Site.create(database, 'Other');
    await other.reader(otherReader, [await other.location('DOCK')]);
    const { registry } = await openIntake(database);
    const heavy = new HeavyOrganizations();
    heavy.note(own.orgId, Number.POSITIVE_INFINITY);
    heavy.note(other.orgId, Number.POSITIVE_INFINITY);
    const batches: { topic: string; began: number; ended: number }[] = [];
    const lanes = new ReaderLanes({
      heavy,
      isOutage: () => false,
      flush: async (messages: readonly ReadMessage[]) => {
        const began = performance.now();
        createHash('sha256').update(Buffer.alloc(50_000_000)).digest();
        batches.push({ topic: messages[0]?.topic ?? '', began, ended: performance.now() });
        return messages.map((message) => ({ counts: countItems(message, [], null), rejections: [] }));
      },
    });
    const send = async (topic: string) => {
      const payload = Buffer.from('{}');
      const incoming = { topic, payload, isDup: false, sender: topic, packetId: 1, isStale: false };
      const mapped = { outcome: 'ignored', reason: 'a test' } as const;
      const message = new MessageAsRead(incoming, {
        ...{ reader: registry.byTopic(topic) ?? null, receivedAt: 0, mapped },
      });
      lanes.enter(message);
      await lanes.submit(message).finally(() => lanes.leave(message));
    };
    return { lanes, batches, send };
  }
});
