import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import type { ReadMessage } from '../../../domain/messages/message.ts';
import { MessageAsRead } from '../../../domain/messages/message.ts';
import { countItems } from '../../../domain/messages/reader-counters.ts';
import { Pace } from '../../../domain/tracking/batch.ts';
import { HeavyOrganizations } from '../../../domain/tracking/location/heavy-organizations.ts';
import { ReaderLanes } from '../../../services/mqtt-ingest/intake/reader-lanes.ts';
import { useDatabase } from '../../support/database.ts';
import { openIntake } from '../../support/intake.ts';
import { STRENGTH, storeSettings } from '../../support/location-settings.ts';
import { aMemory, aRead, record } from '../../support/recording.ts';
import { Site } from '../../support/site.ts';

const START = Date.UTC(2026, 4, 1, 10) * 1_000;

const work = () => createHash('sha256').update(Buffer.alloc(50_000_000)).digest();

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

  it('leave others half as long as each step took, before the next', async () => {
    const steps: { began: number; ended: number }[] = [];
    const { send } = await openLanes('gate 3', 'other 3', async (pace) => {
      while (steps.length < 4) {
        const began = performance.now();
        work();
        steps.push({ began, ended: performance.now() });
        await pace?.next();
      }
    });
    await send('gate 3');
    for (const [index, { began }] of steps.entries()) {
      const before = steps[index - 1];
      if (before !== undefined) {
        expect(began - before.ended).to.be.at.least(0.4 * (before.ended - before.began));
      }
    }
  });

  it('do not rest while a small batch of the same organization may wait for their locks', async () => {
    const [isBegun, mayEnd] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const rests: string[] = [];
    const { heavy, send } = await openLanes('gate 4', 'other 4', async (pace) => {
      if (pace === undefined) {
        isBegun.resolve();
        await mayEnd.promise;
        return;
      }
      for (const when of ['beside', 'after']) {
        pace.rest = async () => void rests.push(when);
        for (const began = performance.now(); performance.now() - began < 50; await pace.next()) {
          work();
        }
        mayEnd.resolve();
        await small;
      }
      pace.rest = async () => {};
    });
    heavy.isHeavy = () => false;
    const small = send('gate 4 beside');
    await isBegun.promise;
    heavy.isHeavy = () => true;
    await send('gate 4');
    expect(new Set(rests)).to.deep.equal(new Set(['after']));
  });

  it('have many steps, of one asset too', async () => {
    const site = await Site.create(database);
    const [here, there] = [await site.location('HERE'), await site.location('THERE')];
    await storeSettings(database, site.orgId, [{ locationId: null, validFrom: 0, setting: STRENGTH }]);
    await site.asset('CRATE', 'crate');
    const reads = Array.from({ length: 5_000 }, (_, at) =>
      aRead({
        ...{ orgId: site.orgId, readerId: 1, antenna: 1 + (at % 2), value: 'crate' },
        ...{ locationId: at % 2 === 0 ? here : there, at: START + 12_000 * at, rssi: -40 - ((7 * at) % 30) },
      }),
    );
    const times: number[] = [];
    const pace = new Pace(AbortSignal.abort());
    const next = pace.next.bind(pace);
    pace.next = () => {
      times.push(process.threadCpuUsage().user);
      return next();
    };
    times.push(process.threadCpuUsage().user);
    await record(database, reads, undefined, { ...aMemory(), pace });
    times.push(process.threadCpuUsage().user);
    const steps = times.slice(1).map((time, index) => time - (times[index] as number));
    expect(steps.length).to.be.above(10);
    expect(Math.max(...steps)).to.be.below(0.5 * steps.reduce((sum, step) => sum + step));
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

  async function openLanes(
    ownReader = 'gate',
    otherReader = 'other',
    then: (pace?: Pace) => Promise<void> = async () => {},
  ) {
    const own = await Site.create(database);
    const yard = await own.location('YARD');
    await own.reader(ownReader, [yard]);
    await own.reader(`${ownReader} beside`, [yard]);
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
      flush: async (messages: readonly ReadMessage[], pace?: Pace) => {
        const began = performance.now();
        work();
        batches.push({ topic: messages[0]?.topic ?? '', began, ended: performance.now() });
        await then(pace);
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
    return { lanes, heavy, batches, send };
  }
});
