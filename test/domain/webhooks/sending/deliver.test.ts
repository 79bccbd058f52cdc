import { createSecretKey } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { expect } from 'chai';
import { HTTP } from 'cloudevents';
import { Webhook } from 'standardwebhooks';
import { type Networks, parseNetworks } from '../../../../base/networks.ts';
import { newSigningSecret, shownSecret } from '../../../../domain/webhooks/secrets/signing-secret.ts';
import { type Agents, openAgents } from '../../../../domain/webhooks/sending/agents.ts';
import { deliver } from '../../../../domain/webhooks/sending/deliver.ts';
import { createResolve } from '../../../../domain/webhooks/targets/checked-lookup.ts';
import { type Receiver, startReceiver } from '../../../support/receiver.ts';

describe('one delivery', () => {
  let receiver: Receiver;
  let agents: Agents;
  const secret = newSigningSecret();
  const body = JSON.stringify({
    specversion: '1.0',
    id: 'org-1-7',
    source: '/orgs/1/moves',
    type: 'tagtrail.asset.moved.v1',
    time: '2026-05-04T08:00:11.120Z',
    datacontenttype: 'application/json',
    data: { position: 7, asset: { id: 1, external_key: 'KÜHL-1' } },
  });

  before(async () => {
    receiver = await startReceiver();
    agents = openAgents({
      networks: parseNetworks('127.0.0.0/8') as Networks,
      resolve: createResolve(),
    });
  });

  after(async () => {
    agents.end();
    await receiver.close();
  });

  const send = (url = receiver.url, by = agents) =>
    deliver(by, { orgId: 1, url, secrets: [createSecretKey(secret)], id: 'org-1-7', body });

  it('verifies with the reference library and parses as a CloudEvent', async () => {
    const at = receiver.received.length;
    expect(await send()).to.deep.include({ outcome: 'delivered', status: 204, error: null });
    const one = receiver.received[at];
    const headers = one?.headers as Record<string, string>;
    expect(new Webhook(shownSecret(secret)).verify(one?.body ?? '', headers)).to.deep.equal(JSON.parse(body));
    const event = HTTP.toEvent({ headers, body: one?.body ?? '' });
    expect(event).to.deep.include({
      id: 'org-1-7',
      type: 'tagtrail.asset.moved.v1',
      data: JSON.parse(body).data,
    });
    expect(headers['webhook-id']).to.equal('org-1-7');
    expect(headers['content-type']).to.match(/^application\/cloudevents\+json/);
  });

  it('keeps a connection for each lane of an organization that may send at a time', async () => {
    const before = receiver.connections();
    const sendAll = () => Promise.all(Array.from({ length: 64 }, () => send()));
    await sendAll();
    // A connection is free a moment after its answer.
    await new Promise(setImmediate);
    await sendAll();
    expect(receiver.connections() - before).to.be.at.most(64);
  });

  it('counts by its status, and keeps the first KiB of the answer', async () => {
    receiver.answer = (response) => response.writeHead(500).end(`\u0000${'x'.repeat(5_000)}`);
    const failed = await send();
    expect(failed).to.deep.include({ outcome: 'failed', status: 500, error: null });
    expect(failed.answer).to.equal(`\uFFFD${'x'.repeat(1_023)}`);
    receiver.answer = (response) => response.writeHead(410).end();
    expect(await send()).to.deep.include({ outcome: 'gone', status: 410 });
    receiver.answer = (response) => response.writeHead(503, { 'retry-after': '120' }).end();
    expect(await send()).to.deep.include({ outcome: 'failed', retryAfter: 120 });
  });

  it('keeps the connection after an answer of some KiB', async () => {
    receiver.answer = (response) => response.writeHead(200).end('x'.repeat(20_000));
    const before = receiver.connections();
    for (let time = 0; time < 3; time++) {
      expect(await send()).to.deep.include({ outcome: 'delivered', isEndless: false });
    }
    expect(receiver.connections() - before).to.be.at.most(1);
  });

  it('reads no more than some 32 KiB of an answer, whatever it consists of', async () => {
    const head = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n';
    const endless = { outcome: 'delivered', status: 200, isEndless: true };
    const failed = (error: string) => ({ outcome: 'failed', status: null, error, isEndless: false });
    for (const [start, more, expected] of [
      [head, `10000\r\n${'x'.repeat(65_536)}\r\n`, endless],
      [head, '1\r\nx\r\n'.repeat(10_000), endless],
      [head, '0'.repeat(65_536), endless],
      ['', '\r\n'.repeat(32_768), failed("More than 32 KiB before the answer's body")],
      ['HTTP/1.1 200 OK\r\nx:', ' '.repeat(65_536), failed("More than 32 KiB before the answer's body")],
      [
        'HTTP/1.1 200 OK\r\n',
        'x: y\r\n'.repeat(10_000),
        failed('Parse Error: Header overflow (HPE_HEADER_OVERFLOW)'),
      ],
    ] as const) {
      let written = 0;
      const closed = Promise.withResolvers<void>();
      const flooding = createServer((socket) => {
        const flood = () => {
          do {
            written += more.length;
          } while (!socket.destroyed && socket.write(more));
        };
        socket.on('error', () => {}).on('close', closed.resolve);
        socket.once('data', () => {
          socket.write(start);
          flood();
        });
        socket.on('drain', flood);
      });
      await once(flooding.listen(0, '127.0.0.1'), 'listening');
      const { port } = flooding.address() as { port: number };
      const attempt = await send(`http://127.0.0.1:${port}/`);
      expect(attempt, more.slice(0, 8)).to.deep.include(expected);
      await closed.promise;
      flooding.close();
      // Most of it went into the buffers of two sockets; the receiver could not go on.
      expect(written, more.slice(0, 8)).to.be.below(64 * 1_048_576);
    }
  });

  it('is given up after its time where a receiver accepts and says nothing, also in a TLS handshake', async () => {
    const silent = createServer((socket) => socket.on('error', () => {}).resume());
    await once(silent.listen(0, '127.0.0.1'), 'listening');
    const { port } = silent.address() as { port: number };
    const hurried = openAgents(agents.targets, 500);
    for (const scheme of ['http', 'https']) {
      const attempt = await send(`${scheme}://127.0.0.1:${port}/`, hurried);
      expect(attempt).to.deep.include({ outcome: 'failed', status: null, error: 'No answer within 0.5 s' });
    }
    hurried.end();
    silent.close();
  });

  it('is delivered when the status says so, though the body never ends', async () => {
    receiver.answer = (response) => {
      response.writeHead(200);
      response.write('thank');
    };
    expect(await send()).to.deep.include({ outcome: 'delivered', status: 200, answer: 'thank' });
    receiver.answer = (response) => response.writeHead(204).end();
  });

  it('is given up after its time, though the receiver sends a byte now and then', async () => {
    const sockets: Socket[] = [];
    const dripping = createServer((socket) => {
      sockets.push(socket);
      const timer = setInterval(() => socket.write('x'), 200);
      socket.write('HTTP/1.1 200 OK\r\nx-slow: ');
      socket.on('close', () => clearInterval(timer)).on('error', () => {});
    });
    await once(dripping.listen(0, '127.0.0.1'), 'listening');
    const { port } = dripping.address() as { port: number };
    const hurried = openAgents(agents.targets, 1_000);
    const attempt = await send(`http://127.0.0.1:${port}/`, hurried);
    hurried.end();
    dripping.close();
    expect(attempt).to.deep.include({ outcome: 'failed', status: null, error: 'No answer within 1 s' });
    expect(sockets).to.have.length(1);
  });

  it('takes a few interim answers before the answer, and gives up where they do not end', async () => {
    let interim = 2;
    const hinting = createServer((socket) => {
      socket.on('error', () => {});
      const more = () => {
        let hasRoom = true;
        while (interim > 0 && hasRoom && !socket.destroyed) {
          interim -= 1;
          hasRoom = socket.write('HTTP/1.1 103 Early Hints\r\n\r\n');
        }
        if (interim === 0) {
          socket.end('HTTP/1.1 204 No Content\r\n\r\n');
        }
      };
      socket.once('data', more).on('drain', more);
    });
    await once(hinting.listen(0, '127.0.0.1'), 'listening');
    const url = `http://127.0.0.1:${(hinting.address() as { port: number }).port}/`;
    expect(await send(url)).to.deep.include({ outcome: 'delivered', status: 204 });
    interim = Number.POSITIVE_INFINITY;
    const attempt = await send(url);
    hinting.close();
    expect(attempt).to.deep.include({
      outcome: 'failed',
      status: null,
      error: 'More than 20 interim answers (status 1xx)',
    });
  });

  it('tries a kept connection that the receiver was just ending once more, by itself', async () => {
    let count = 0;
    const ending = createServer((socket) => {
      socket.on('error', () => {});
      socket.on('data', () => {
        count += 1;
        if (count === 2) {
          socket.resetAndDestroy();
        } else {
          socket.write('HTTP/1.1 204 No Content\r\n\r\n');
        }
      });
    });
    await once(ending.listen(0, '127.0.0.1'), 'listening');
    const url = `http://127.0.0.1:${(ending.address() as { port: number }).port}/`;
    expect((await send(url)).outcome).to.equal('delivered');
    expect((await send(url)).outcome).to.equal('delivered');
    expect(count).to.equal(3);
    ending.close();
  });

  it('fails where nobody listens, and says so', async () => {
    const closed = await startReceiver();
    await closed.close();
    const { outcome, error } = await send(closed.url);
    expect(outcome).to.equal('failed');
    expect(error).to.include('ECONNREFUSED');
  });
});
