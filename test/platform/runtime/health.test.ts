import { readFileSync } from 'node:fs';
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

  it('is ready although something fails that it can do without, and says so', async () => {
    const registry = new Registry();
    const health = createHealth({
      registry,
      checks: { database: async () => {} },
      notices: { writing: () => Promise.reject(new Error('read-only')) },
      stopping: new AbortController().signal,
    });
    const ready = await health('/readyz');
    expect({ ...ready, body: JSON.parse(ready?.body ?? '') }).to.deep.include({
      status: 200,
      body: { status: 'ready', checks: { database: 'ok', writing: 'read-only' } },
    });
    const { values } = (await registry.getSingleMetric('tagtrail_check_up')?.get()) ?? {};
    expect(values?.map(({ labels, value }) => [labels['check'], value])).to.deep.equal([
      ['database', 1],
      ['writing', 0],
    ]);
  });

  it('says which version it is, and on which Node.js', async () => {
    const registry = new Registry();
    createHealth({ registry, checks: {}, stopping: new AbortController().signal });
    const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
    const { values } = (await registry.getSingleMetric('tagtrail_build_info')?.get()) ?? {};
    expect(values?.map(({ labels, value }) => [labels, value])).to.deep.equal([
      [{ version, node: process.versions.node }, 1],
    ]);
  });
});
