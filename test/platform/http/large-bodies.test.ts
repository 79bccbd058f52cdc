import { once } from 'node:events';
import { isDeepStrictEqual } from 'node:util';
import type { Worker } from 'node:worker_threads';
import { expect } from 'chai';
import { pino } from 'pino';
import { expensiveTurns } from '../../../base/expensive-turns.ts';
import { checkBody } from '../../../platform/http/body.ts';
import { isLarge, LARGE, LargeBodies } from '../../../platform/http/large-bodies.ts';
import { Problem } from '../../../platform/http/problem.ts';
import { WorkThreads } from '../../../platform/runtime/work-threads.ts';
import { BODIES as API_BODIES } from '../../../services/api/bodies.ts';
import { epcisRoutes } from '../../../services/api/epcis/routes.ts';
import { API_ROUTES } from '../../../services/api/routes.ts';
import { BODIES as GATEWAY_BODIES } from '../../../services/handheld-gateway/bodies.ts';
import { GATEWAY_ROUTES } from '../../../services/handheld-gateway/routes.ts';
import { faultyBodies } from '../../support/faulty-bodies.ts';
import { randomPart } from '../../support/random-sets.ts';
import { worstBodies } from '../../support/worst-bodies.ts';

const at = (path: string) => new URL(path, import.meta.url).href;
const APPLICATIONS = [
  {
    name: 'API',
    routes: [...API_ROUTES, ...epcisRoutes(null)],
    bodies: API_BODIES,
    module: at('../../../services/api/bodies.ts'),
  },
  {
    name: 'gateway',
    routes: GATEWAY_ROUTES,
    bodies: GATEWAY_BODIES,
    module: at('../../../services/handheld-gateway/bodies.ts'),
  },
];
const DEADLY = at('../../support/deadly-bodies.ts');
const log = pino({ level: 'silent' });

describe('large bodies', () => {
  const threads = new WorkThreads(log);
  const large = new LargeBodies(threads);
  after(() => threads.close());
  const task = (operationId: string) => ({ bodies: DEADLY, operationId, bytes: Buffer.alloc(LARGE + 1) });
  const outcome = (promise: Promise<unknown>) =>
    promise.then(
      (value) => value,
      (error: unknown) => error,
    );

  it('are those of many bytes, or of many values, and not the submissions of every day', () => {
    const scan = {
      tag_type: 'rfid',
      value: 'E28011606000020000000001',
      observed_at: '2026-01-01T00:00:00Z',
      rssi: -54,
    };
    const isOne = (body: unknown) => isLarge(Buffer.from(JSON.stringify(body)));
    expect(isOne({ tags: Array(10_000).fill({}) })).to.equal(true);
    expect(isOne({ name: 'a'.repeat(LARGE) })).to.equal(true);
    expect(isOne({ scans: Array(280).fill(scan) })).to.equal(false);
    expect(isOne({ name: 'a'.repeat(LARGE - 100) })).to.equal(false);
  });

  for (const { name, routes, bodies, module } of APPLICATIONS) {
    it(`of the ${name} are found by threads as its routes declare them`, () => {
      const declared = routes.flatMap(({ operationId, body }) =>
        body !== null && 'check' in body ? [[operationId, body] as const] : [],
      );
      expect(Object.keys(bodies)).to.have.members(declared.map(([operationId]) => operationId));
      for (const [operationId, body] of declared) {
        expect(bodies[operationId], operationId).to.equal(body);
      }
    });

    for (const [operationId, body] of Object.entries(bodies)) {
      it(`of ${operationId} come to the same in a thread and out of it`, async () => {
        const worst = worstBodies(body.schema, 2 * LARGE);
        const texts = [...faultyBodies(body.schema), ...worst.map(({ text }) => text)];
        const different: string[] = [];
        for (const text of [...randomPart(texts), '{"a":"\xff"}', Buffer.from([0x7b, 0xff, 0x7d])]) {
          const bytes = Buffer.from(text);
          const here = checkBody(body, bytes);
          const there = await large.check({ bodies: module, operationId, bytes }, { orgId: 1 });
          if (!isDeepStrictEqual(structuredClone(here), there)) {
            different.push(String(text).slice(0, 200));
          }
        }
        expect(different).to.deep.equal([]);
      });
    }
  }

  it('of one organization do not keep those of another waiting', async () => {
    const send = (orgId: number) => large.check(task('fine'), { orgId });
    const sent = [...Array.from({ length: 40 }, () => send(1)), send(2)];
    // Which of them ends first says less: a second thread may still have to start.
    expect([1, 2].map((orgId) => expensiveTurns.waiting(orgId))).to.deep.equal([39, 0]);
    await Promise.all(sent);
  });

  it('are refused with 503 when too many of an organization wait, and those of another are not', async () => {
    const narrow = new LargeBodies(threads, { mostWaiting: 5 });
    const send = (orgId: number) => outcome(narrow.check(task('fine'), { orgId }));
    const sent = Array.from({ length: 10 }, () => send(1));
    const other = send(2);
    const refused = (await Promise.all(sent)).filter((each) => each instanceof Problem);
    expect(refused).to.have.lengthOf(4);
    for (const problem of refused) {
      expect(problem).to.include({ type: 'unavailable', status: 503 });
      expect(problem.headers).to.deep.equal({ 'Retry-After': '5' });
    }
    expect([await other, await send(1)]).to.deep.equal(Array(2).fill({ ok: true, checked: 'fine' }));
  });

  for (const end of ['ends', 'grows', 'fails']) {
    it(`cost their own request when a thread ${end}, and no other`, async () => {
      const [fault, ...others] = await Promise.all([
        outcome(large.check(task(end), { orgId: 1 })),
        large.check(task('fine'), { orgId: 1 }),
        large.check(task('fine'), { orgId: 2 }),
        large.check(task('fine'), { orgId: 2 }),
      ]);
      expect(fault).to.be.instanceOf(Error).and.not.instanceOf(Problem);
      expect(others).to.deep.equal(Array(3).fill({ ok: true, checked: 'fine' }));
    });
  }

  it('leave no thread behind when there are none', async () => {
    const passingThreads = new WorkThreads(log, { idle: 1 });
    const passing = new LargeBodies(passingThreads);
    const begun = once(process, 'worker') as Promise<[Worker]>;
    await passing.check(task('fine'), { orgId: 1 });
    const [thread] = await begun;
    if (thread.threadId !== -1) {
      await once(thread, 'exit');
    }
    expect(await passing.check(task('fine'), { orgId: 1 })).to.deep.equal({ ok: true, checked: 'fine' });
    await passingThreads.close();
  });
});
