import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, createServer, request } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import mqtt from 'mqtt';
import { type CellPorts, type Haproxy, startHaproxy } from '../support/haproxy.ts';
import { useProgram } from '../support/programs.ts';

const ID = '01JD0000000000000000000000';

describe('the configuration of HAProxy', () => {
  useProgram('haproxy', 'socat');
  const stops: (() => unknown)[] = [];
  let haproxy: Haproxy;

  before(async () => {
    haproxy = await startHaproxy([await serve(1), await serve(2)]);
    stops.push(() => haproxy.stop());
  });
  after(async () => {
    for (const stop of stops.reverse()) {
      await stop();
    }
  });

  /** A cell that says of each request and connection which of its services was reached. */
  const serve = async (cell: number): Promise<CellPorts> => {
    const http = async (service: string) => {
      const server = createServer((_, response) => response.end(`${service}-${cell}`));
      await once(server.listen(0, '127.0.0.1'), 'listening');
      stops.push(() => server.close());
      return (server.address() as AddressInfo).port;
    };
    // Refuses a CONNECT with a return code that names the cell.
    const broker = createTcpServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => socket.end(Buffer.from([0x20, 2, 0, cell])));
    });
    await once(broker.listen(0, '127.0.0.1'), 'listening');
    stops.push(() => broker.close());
    return {
      api: await http('api'),
      scan: await http('scan'),
      console: await http('console'),
      mqtt: (broker.address() as AddressInfo).port,
    };
  };
  const ask = async (
    host: string,
    token?: string,
    { path = '/api/v1/assets', agent = false }: { path?: string; agent?: Agent | false } = {},
  ) => {
    const asked = request({
      ...{ host: '127.0.0.1', port: haproxy.httpPort, path, agent },
      headers: {
        host: `${host}.example.com`,
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
    });
    asked.end();
    const [response] = await once(asked, 'response');
    const said = await text(response);
    const { statusCode, headers: told } = response;
    return statusCode === 200 ? said : `no answer ${statusCode}, again after ${told['retry-after']}`;
  };
  /** @returns the cell that refused. */
  const signIn = (username: string) =>
    mqtt
      .connectAsync(`mqtt://127.0.0.1:${haproxy.mqttPort}`, {
        ...{ username, password: 'x', reconnectPeriod: 0 },
      })
      .then(
        () => expect.fail('no stub lets anybody in'),
        ({ code }: { code?: number }) => code ?? 'refused by the router',
      );
  const led = async (credentials: Record<string, () => Promise<unknown>>) =>
    Object.fromEntries(
      await Promise.all(Object.entries(credentials).map(async ([name, go]) => [name, await go()])),
    );

  it('is valid, without a warning', async () => {
    expect(await haproxy.check()).to.equal('');
  });

  it('leads requests by the key or the token to the cell that issued it', async () => {
    expect(
      await led({
        'no key': () => ask('tagtrail'),
        key: () => ask('tagtrail', `tt_${ID}_x`),
        'key of cell 2': () => ask('tagtrail', `tt2_${ID}_x`),
        'key of a cell that is not there': () => ask('tagtrail', `tt9_${ID}_x`),
        'last token of cell 1': () => ask('scan', 'th_50000000_x'),
        'first token of cell 2': () => ask('scan', 'th_50000001_x'),
        'no token': () => ask('scan'),
        'console of cell 1': () => ask('tracking'),
        'console of cell 2': () => ask('tracking-2'),
        metrics: () => ask('tagtrail', `tt_${ID}_x`, { path: '/metrics' }),
      }),
    ).to.deep.equal({
      'no key': 'api-1',
      key: 'api-1',
      'key of cell 2': 'api-2',
      'key of a cell that is not there': 'no answer 503, again after 5',
      'last token of cell 1': 'scan-1',
      'first token of cell 2': 'scan-2',
      'no token': 'scan-1',
      'console of cell 1': 'console-1',
      'console of cell 2': 'console-2',
      metrics: 'no answer 404, again after undefined',
    });
  });

  it('leads readers and consumers by their login', async () => {
    expect(
      await led({
        'reader-7': () => signIn('reader-7'),
        'reader-50000001': () => signIn('reader-50000001'),
        'consumer-50000000': () => signIn('consumer-50000000'),
        'consumer-99999999': () => signIn('consumer-99999999'),
        portal: () => signIn('portal'),
      }),
    ).to.deep.equal({
      'reader-7': 1,
      'reader-50000001': 2,
      'consumer-50000000': 1,
      'consumer-99999999': 2,
      portal: 1,
    });
  });

  it('leads what has moved where it is now, and back again, at once and after a restart', async () => {
    // Kept by who asks often; what is told of a move counts on it, too.
    const kept = new Agent({ keepAlive: true, maxSockets: 1 });
    stops.push(() => kept.destroy());
    const asked = () =>
      led({
        key: () => ask('tagtrail', `tt_${ID}_x`),
        'key on a connection from before': () => ask('tagtrail', `tt_${ID}_x`, { agent: kept }),
        th_7: () => ask('scan', 'th_7_x'),
        'reader-7': () => signIn('reader-7'),
        'reader-8': () => signIn('reader-8'),
        'reader-1249': () => signIn('reader-1249'),
      });
    const of = (cell: number) => ({
      key: `api-${cell}`,
      'key on a connection from before': `api-${cell}`,
      th_7: `scan-${cell}`,
      'reader-7': cell,
      'reader-8': 1,
      'reader-1249': cell,
    });
    // More than are told at a time.
    const many = Array.from({ length: 250 }, (_, index) => `reader-${1_000 + index}`);
    const lead = async (cell: number) => {
      const child = spawn(haproxy.route, { shell: true, stdio: ['pipe', 'inherit', 'inherit'] });
      child.stdin.end([ID, 'th_7', 'reader-7', ...many].map((one) => `${one} ${cell}\n`).join(''));
      expect((await once(child, 'close'))[0]).to.equal(0);
    };
    await ask('tagtrail', `tt_${ID}_x`, { agent: kept });
    await lead(2);
    expect(await asked()).to.deep.equal(of(2));
    await haproxy.restart();
    expect(await asked()).to.deep.equal(of(2));
    await lead(1);
    expect(await asked()).to.deep.equal(of(1));
  });
});
