import { expect } from 'chai';
import { pino } from 'pino';
import {
  isOutOfMemory,
  TaskTookTooLong,
  THREADS,
  WorkThreads,
} from '../../../platform/runtime/work-threads.ts';

describe('work threads', () => {
  const threads = new WorkThreads(pino({ level: 'silent' }));
  after(() => threads.close());

  const module = new URL('../../support/endless-task.ts', import.meta.url).href;
  const double = (argument: number) => threads.run({ module, name: 'double', argument, most: 10_000 });
  const failing = (name: string, most: number) =>
    threads.run({ module, name, argument: null, most }).then(
      () => null,
      (error: unknown) => error,
    );

  it('end a task that takes too long, and go on with the next', async () => {
    const endless = Array.from({ length: THREADS }, () => failing('spin', 200));
    // Their time does not pass while they wait for the endless ones.
    const waiting = [1, 2, 3].map(double);
    for (const error of await Promise.all(endless)) {
      expect(error).to.be.instanceOf(TaskTookTooLong).and.have.property('message').that.includes('0.2 s');
    }
    expect(await Promise.all(waiting)).to.deep.equal([2, 4, 6]);
  });

  it('go on with a task that waits longer for a processor than it may compute', async () => {
    expect(await threads.run({ module, name: 'wait', argument: 500, most: 100 })).to.equal('timed-out');
  });

  it('end a task that takes too much memory, and go on with the next', async () => {
    expect(await failing('fill', 60_000)).to.satisfy(isOutOfMemory);
    expect(await double(4)).to.equal(8);
  });
});
