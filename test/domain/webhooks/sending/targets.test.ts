import { createSecretKey } from 'node:crypto';
import type { LookupAddress } from 'node:dns';
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { type Networks, parseNetworks } from '../../../../base/networks.ts';
import { type Agents, openAgents } from '../../../../domain/webhooks/sending/agents.ts';
import { deliver } from '../../../../domain/webhooks/sending/deliver.ts';
import { createResolve } from '../../../../domain/webhooks/targets/checked-lookup.ts';
import { certificate } from '../../../support/certificates.ts';
import { type NameServer, startNameServer } from '../../../support/name-server.ts';
import { type Receiver, startReceiver } from '../../../support/receiver.ts';

/** 127.0.0.2 stands for what may be reached, 127.0.0.3 for what may not. */
describe('what a webhook reaches', () => {
  let allowed: Receiver;
  let forbidden: Receiver;
  let names: NameServer;
  let agents: Agents;

  before(async () => {
    [allowed, forbidden, names] = await Promise.all([
      startReceiver('127.0.0.2'),
      startReceiver('127.0.0.3'),
      startNameServer(),
    ]);
    const networks = parseNetworks('127.0.0.2/32') as Networks;
    agents = openAgents({ networks, resolve: createResolve([names.address]) });
  });

  after(async () => {
    agents.end();
    await Promise.all([allowed.close(), forbidden.close(), names.close()]);
  });

  const send = (url: string) =>
    deliver(agents, {
      orgId: 1,
      url,
      secrets: [createSecretKey(Buffer.alloc(32))],
      id: 'org-1-1',
      body: '{}',
    });

  it('is not what only looks like something else', async () => {
    const { port } = forbidden;
    const hosts = [
      '127.0.0.3',
      '2130706435',
      '0x7f.3',
      '0177.0.0.3',
      '127.3',
      '[::ffff:127.0.0.3]',
      '[::ffff:7f00:3]',
    ];
    const urls = [
      ...hosts.flatMap((host) => [`http://${host}:${port}/`, `https://${host}:${port}/`]),
      ...['169.254.169.254', '[fd00:ec2::254]', '10.0.0.1', '[::1]', '0.0.0.0'].map(
        (host) => `https://${host}:${port}/`,
      ),
    ];
    for (const url of urls) {
      const { outcome, error } = await send(url);
      expect({ url, outcome }).to.deep.equal({ url, outcome: 'refused' });
      expect(error).to.match(/not a public address|always refused/);
    }
    expect(forbidden.connections()).to.equal(0);
  });

  it('is not what a name leads to, were it only one of its addresses', async () => {
    for (const addresses of [
      ['127.0.0.3'],
      ['127.0.0.2', '127.0.0.3'],
      ['127.0.0.3', '127.0.0.2'],
      ['169.254.169.254'],
    ]) {
      names.answer = () => addresses;
      for (const protocol of ['http', 'https']) {
        const { outcome } = await send(`${protocol}://erp.test:${forbidden.port}/`);
        expect(outcome, addresses.join()).to.equal('refused');
      }
    }
    expect(forbidden.connections()).to.equal(0);
  });

  it('is the address that was checked, though the name has another one a moment later', async () => {
    let questions = 0;
    // What is checked first would be let in; whoever asked again to connect would be led astray.
    names.answer = () => [questions++ % 2 === 0 ? '127.0.0.2' : '127.0.0.3'];
    allowed.answer = (response) => response.writeHead(204, { connection: 'close' }).end();
    const outcomes = [];
    for (let count = 0; count < 20; count++) {
      outcomes.push((await send(`http://rebind.test:${allowed.port}/`)).outcome);
    }
    expect(outcomes).to.deep.equal(
      Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? 'delivered' : 'refused')),
    );
    expect(questions).to.equal(20);
    expect(allowed.received).to.have.length(10);
    expect(forbidden.connections()).to.equal(0);
  });

  it('is not where a redirect leads', async () => {
    const before = allowed.received.length;
    for (const status of [301, 302, 303, 307, 308]) {
      allowed.answer = (response) => response.writeHead(status, { location: forbidden.url }).end();
      expect(await send(allowed.url)).to.deep.include({ outcome: 'failed', status });
    }
    expect(allowed.received.length - before).to.equal(5);
    expect(forbidden.connections()).to.equal(0);
  });

  it('is no server whose certificate nobody vouches for', async () => {
    const received: string[] = [];
    const server = createServer(
      { cert: certificate('broker.crt'), key: certificate('broker.key') },
      (request, response) => {
        received.push(request.url ?? '');
        response.writeHead(204).end();
      },
    );
    await once(server.listen(0, '127.0.0.2'), 'listening');
    const { port } = server.address() as AddressInfo;
    const { outcome, error } = await send(`https://127.0.0.2:${port}/`);
    await new Promise((resolve) => server.close(resolve));
    expect(outcome).to.equal('failed');
    expect(error).to.match(/certificate/);
    expect(received).to.deep.equal([]);
  });

  it('is told in words that name the setting', async () => {
    names.answer = () => ['127.0.0.3'];
    expect((await send(`https://erp.test:${forbidden.port}/`)).error)
      .to.include('127.0.0.3')
      .and.include('WEBHOOK_NETWORKS');
    names.answer = () => [];
    expect(await send('https://nowhere.invalid/')).to.deep.include({ outcome: 'failed', status: null });
  });

  it('is found for an organization, however long the machine looks up names of another', async () => {
    names.answer = () => [];
    const slow = Promise.withResolvers<LookupAddress[]>();
    const lookUp = (name: string) =>
      name.startsWith('slow') ? slow.promise : Promise.resolve([{ address: '127.0.0.2', family: 4 }]);
    const resolve = createResolve([names.address], lookUp);
    const waiting = ['slow-1.test', 'slow-2.test', 'slow-3.test'].map((name) => resolve(name, 1));
    expect(await resolve('erp.test', 2)).to.deep.equal(['127.0.0.2']);
    slow.resolve([{ address: '127.0.0.2', family: 4 }]);
    expect(await Promise.all(waiting)).to.have.length(3);
  });
});
