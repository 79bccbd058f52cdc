import { once } from 'node:events';
import { createConnection, type Socket } from 'node:net';
import { expect } from 'chai';
import { groupOfAddress } from '../../../platform/runtime/bounded-sockets.ts';
import { type Listening, listenOn } from '../../../platform/runtime/listen-on.ts';

describe('connections to an HTTP listener', () => {
  const ROOM = 20;
  /** More than the system takes off the process for a client that does not read. */
  const LARGE = Buffer.alloc(20_000_000);
  const sockets: Socket[] = [];
  let listening: Listening;
  let working = Promise.withResolvers<() => void>();

  beforeEach(async () => {
    working = Promise.withResolvers();
    listening = await listenOn(
      (request, response) => {
        const answer = () => {
          if (request.url === '/slow') {
            working.resolve(() => response.end('slow'));
          } else {
            response.end(request.url === '/large' ? LARGE : 'x');
          }
        };
        request.method === 'GET' ? answer() : request.resume().once('end', answer);
      },
      { host: '127.0.0.1', port: 0, setting: 'API_PORT' },
      { mostConnections: ROOM },
    );
  });
  afterEach(async () => {
    for (const socket of sockets.splice(0)) {
      socket.destroy();
    }
    await listening.close();
  });

  async function open(text: string, localAddress = '127.0.0.1'): Promise<Socket> {
    const port = Number(new URL(listening.url).port);
    const socket = createConnection({ port, host: '127.0.0.1', localAddress });
    socket.on('error', () => {});
    sockets.push(socket);
    await once(socket, 'connect');
    socket.write(text);
    return socket;
  }
  const request = async () => (await fetch(listening.url, { headers: { Connection: 'close' } })).status;

  const HEAD = 'HTTP/1.1\r\nHost: here\r\n';
  for (const [what, text] of [
    ['say nothing', ''],
    ['dribble headers', 'GET / HTTP/1.1\r\nHo'],
    ['dribble a body', `POST / ${HEAD}Content-Length: 1000\r\n\r\nx`],
    ['wait between requests', `GET / ${HEAD}\r\n`],
    ['do not read their answers', `GET /large ${HEAD}\r\n`],
  ] as const) {
    it(`keep nobody out when ten times as many as there is room for ${what}`, async () => {
      for (let number = 0; number < ROOM * 10; number++) {
        const socket = await open(text);
        socket.pause();
      }
      expect(await request()).to.equal(200);
      expect(await request()).to.equal(200);
    });
  }

  it('are not cut off for others while a request is worked on', async () => {
    const slow = fetch(`${listening.url}/slow`, { headers: { Connection: 'close' } });
    const finish = await working.promise;
    for (let number = 0; number < ROOM * 3; number++) {
      await open('');
    }
    finish();
    expect(await (await slow).text()).to.equal('slow');
  });

  it('are not cut off for a crowd that comes at once with a request each, all of which are answered', async () => {
    const answered = async (socket: Socket) => String((await once(socket, 'data'))[0]);
    const others = await Promise.all(
      Array.from({ length: ROOM / 10 }, () => open(`GET / ${HEAD}\r\n`, '127.0.0.2')),
    );
    await Promise.all(others.map(answered));
    const crowd = Array.from({ length: ROOM * 10 }, async () => answered(await open(`GET / ${HEAD}\r\n`)));
    for (const answer of await Promise.all(crowd)) {
      expect(answer).to.match(/^HTTP\/1\.1 200 /);
    }
    for (const socket of others) {
      socket.write(`GET / ${HEAD}\r\n`);
    }
    await Promise.all(others.map(answered));
  });

  it('are told apart by address, of IPv6 by the network of a subscriber', () => {
    expect(groupOfAddress('192.0.2.7')).to.equal('192.0.2.7');
    expect(groupOfAddress('::ffff:192.0.2.7')).to.equal('192.0.2.7');
    expect(groupOfAddress('2001:db8:1:2::9')).to.equal('2001:db8:1:2');
    expect(groupOfAddress('2001:db8:1:2:ffff::1')).to.equal('2001:db8:1:2');
    expect(groupOfAddress('::1')).to.equal('0:0:0:0');
    expect(groupOfAddress(undefined)).to.equal('gone');
  });
});
