import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { pino } from 'pino';
import { Lifecycle } from '../../../platform/runtime/lifecycle.ts';
import { startApi } from '../../../services/api/start.ts';
import { apiConfig, useApi } from '../../support/api.ts';
import { freePort } from '../../support/free-port.ts';
import { useTypedClient } from '../../support/typed-client.ts';

describe('the patience of the typed client', () => {
  const api = useApi();
  const client = useTypedClient();
  const log = pino({ level: 'silent' });
  const lifecycle = new Lifecycle(log);
  let url: string;
  before(async () => {
    const limits = { RATE_LIMIT_PER_MINUTE: 60, RATE_LIMIT_BURST: 3 };
    url = (await startApi({ ...apiConfig(api.database.url), ...limits }, log, lifecycle)).url;
    api.database.beforeDrop(() => lifecycle.stop());
  });

  it('waits as long as the API says, and then goes on, whatever the method', async () => {
    const { createTagtrailClient, unwrap } = client();
    const waits: { status: number; milliseconds: number }[] = [];
    const patience = { onWait: (wait: (typeof waits)[number]) => waits.push(wait) };
    const tagtrail = createTagtrailClient({ baseUrl: url, apiKey: api.key, patience });
    // At once, because meanwhile the bucket refills.
    const create = async (_: unknown, number: number) =>
      unwrap(await tagtrail.POST('/api/v1/assets', { body: { name: `Asset ${number}` } }));
    await Promise.all(Array.from({ length: 5 }, create));
    expect(waits).to.not.have.length(0);
    for (const { status, milliseconds } of waits) {
      expect(status).to.equal(429);
      expect(milliseconds).to.be.within(1000, 1250);
    }
    expect(await api.database.rows('select from assets')).to.have.length(5);
  });

  it('gives up where it would take longer than it may, with the answer there is', async () => {
    const { createTagtrailClient } = client();
    const apiKey = await api.keyWith([]);
    const tagtrail = createTagtrailClient({ baseUrl: url, apiKey, patience: { milliseconds: 10 } });
    const answers = await Promise.all([1, 2, 3, 4].map(() => tagtrail.GET('/api/v1/orgs/me')));
    expect(answers.map(({ response }) => response.status).sort()).to.deep.equal([200, 200, 200, 429]);
  });

  it('asks again when a time limit was met, after as long as it is told, whatever the method', async () => {
    const { createTagtrailClient } = client();
    const waits: number[] = [];
    let requests = 0;
    const statuses = [503, 200, 503, 200, 408, 200];
    const server = await listen((_, response) => {
      const headers = { 'Content-Type': 'application/json', 'Retry-After': '1' };
      response.writeHead(statuses[requests++] as number, headers).end('{"data":{}}');
    });
    try {
      const patience = { onWait: ({ milliseconds }: { milliseconds: number }) => waits.push(milliseconds) };
      const tagtrail = createTagtrailClient({ baseUrl: server.url, apiKey: 'tt_', patience });
      expect((await tagtrail.GET('/api/v1/assets')).response.status).to.equal(200);
      const created = await tagtrail.POST('/api/v1/assets', { body: { name: 'Once' } });
      expect(created.response.status).to.equal(200);
      const late = await tagtrail.POST('/api/v1/assets', { body: { name: 'Late' } });
      expect(late.response.status).to.equal(200);
      expect(waits).to.have.length(3);
      for (const milliseconds of waits) {
        expect(milliseconds).to.be.within(1000, 1250);
      }
    } finally {
      server.close();
    }
  });

  it('asks again after a failure where that does no harm or nothing was sent, and only there', async () => {
    const { createTagtrailClient } = client();
    let requests = 0;
    const gateway = await listen((_, response) => {
      requests++;
      response
        .writeHead(requests === 1 ? 502 : 200, { 'Content-Type': 'application/json' })
        .end('{"data":{}}');
    });
    try {
      const tagtrail = createTagtrailClient({ baseUrl: gateway.url, apiKey: 'tt_' });
      expect((await tagtrail.GET('/api/v1/orgs/me')).response.status).to.equal(200);
      requests = 0;
      const created = await tagtrail.POST('/api/v1/assets', { body: { name: 'Once' } });
      expect([created.response.status, requests]).to.deep.equal([502, 1]);
    } finally {
      gateway.close();
    }
    let refusals = 0;
    const patience = { milliseconds: 1000, onWait: () => refusals++ };
    const baseUrl = `http://127.0.0.1:${await freePort()}`;
    const tagtrail = createTagtrailClient({ baseUrl, apiKey: 'tt_', patience });
    const sent = tagtrail.POST('/api/v1/assets', { body: { name: 'Once' } });
    expect(await sent.catch((error: Error) => error.message)).to.equal('fetch failed');
    expect(refusals).to.be.above(0);
  });
});

/** What may stand between a client and the API. */
async function listen(answer: RequestListener): Promise<{ url: string; close: () => void }> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => server.close(),
  };
}
