import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { expect } from 'chai';
import { PipelinedConnections } from '../../../db/timescale/connections/pipelined-connections.ts';
import { ENTER, entering } from '../../../db/timescale/connections/preceded-query.ts';
import { serviceConfig } from '../../../db/timescale/connections/service-connections.ts';
import { useDatabase } from '../../support/database.ts';

describe('connections that many callers share', () => {
  const database = useDatabase();

  it('are ended once when many statements time out, and answer the next on another connection', async () => {
    let isForwarding = true;
    let sockets = 0;
    const target = new URL(database.url);
    const proxy = createServer((client) => {
      sockets += 1;
      client.once('close', () => {
        sockets -= 1;
      });
      const upstream = connect(Number(target.port), target.hostname);
      client.on('data', (bytes) => isForwarding && upstream.write(bytes));
      upstream.on('data', (bytes) => client.write(bytes));
      for (const [one, other] of [
        [client, upstream],
        [upstream, client],
      ] as const) {
        one.on('error', () => {});
        one.on('close', () => other.destroy());
      }
    }).listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    database.beforeDrop(async () => proxy.close());
    const url = new URL(database.url);
    url.host = `127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const patience = { statement: 300, answer: 300 };
    const connections = new PipelinedConnections(serviceConfig(url.href, { max: 1, patience }), 1, [ENTER]);
    database.beforeDrop(() => connections.end());
    const ask = () => connections.query(entering(1), { name: 'one', text: 'select 1 as one' });
    expect((await ask()).rows).to.deep.equal([{ one: 1 }]);

    const warnings: Error[] = [];
    const note = (warning: Error) => warnings.push(warning);
    process.on('warning', note);
    isForwarding = false;
    const answers = await Promise.allSettled(Array.from({ length: 40 }, ask));
    expect(answers.map(({ status }) => status)).to.deep.equal(Array(40).fill('rejected'));
    isForwarding = true;
    expect((await ask()).rows).to.deep.equal([{ one: 1 }]);
    while (sockets > 1) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    process.removeListener('warning', note);
    expect(warnings.map(({ name }) => name)).to.deep.equal([]);
  });
});
