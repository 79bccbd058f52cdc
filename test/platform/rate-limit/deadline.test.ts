import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { within } from '../../../platform/rate-limit/redis-store.ts';

describe('a deadline', () => {
  it('ends the wait for what does not come, and says how long it was', async () => {
    const startedAt = performance.now();
    const error = await within(40, new Promise(() => {})).catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(Error).with.property('message', 'no answer within 40 ms');
    expect(performance.now() - startedAt).to.be.at.least(38);
  });

  it('passes on what comes in time, and what fails', async () => {
    expect(await within(10_000, Promise.resolve(1))).to.equal(1);
    const failure = new Error('failure');
    expect(await within(10_000, Promise.reject(failure)).catch((thrown: unknown) => thrown)).to.equal(
      failure,
    );
  });

  it('does not call late what came while this process was held up', async () => {
    const work = within(1_000, readFile(import.meta.filename, 'utf8'));
    const until = performance.now() + 1_100;
    while (performance.now() < until);
    expect(await work).to.include('held up');
  });
});
