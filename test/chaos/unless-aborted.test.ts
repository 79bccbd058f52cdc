import { assert } from 'chai';
import { unlessAborted } from './unless-aborted.ts';

describe('a scenario that may be interrupted', () => {
  const reason = new Error('interrupted');

  it('comes to what it comes to', async () => {
    const { signal } = new AbortController();
    assert.equal(await unlessAborted(signal, async () => 5), 5);
    const fault = new Error('a fault of its own');
    assert.equal(await rejected(unlessAborted(signal, () => Promise.reject(fault))), fault);
  });

  it('is not waited for once it is interrupted', async () => {
    const controller = new AbortController();
    const outcome = rejected(unlessAborted(controller.signal, () => new Promise(() => {})));
    controller.abort(reason);
    assert.equal(await outcome, reason);
  });

  it('is not begun after that', async () => {
    let isBegun = false;
    const begin = async () => {
      isBegun = true;
    };
    assert.equal(await rejected(unlessAborted(AbortSignal.abort(reason), begin)), reason);
    assert.isFalse(isBegun);
  });
});

/** What a promise is rejected with. */
function rejected(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => assert.fail('it was not rejected'),
    (error: unknown) => error,
  );
}
