import { expect } from 'chai';
import { Registry } from 'prom-client';
import { createHealth } from '../../../platform/runtime/health.ts';

describe('the health of a process', () => {
  it('is not ready, yet alive, from when a stop is announced, whatever it checks', async () => {
    const stopping = new AbortController();
    const health = createHealth({
      registry: new Registry(),
      checks: { database: async () => {} },
      stopping: stopping.signal,
    });
    const answers = async () => {
      const [alive, ready] = await Promise.all([health('/healthz'), health('/readyz')]);
      return [alive?.status, ready?.status, JSON.parse(ready?.body ?? '').status];
    };
    expect(await answers()).to.deep.equal([200, 200, 'ready']);
    stopping.abort();
    expect(await answers()).to.deep.equal([200, 503, 'stopping']);
  });
});
