import { once } from 'node:events';
import { connect } from 'node:net';
import { expect } from 'chai';
import { pino } from 'pino';
import { Lifecycle } from '../../../platform/runtime/lifecycle.ts';
import { startEmbeddedIngest } from '../../../services/mqtt-ingest/ingest.ts';
import { useDatabase } from '../../support/database.ts';
import { ingestConfig } from '../../support/ingest.ts';
import { Site } from '../../support/site.ts';

describe('a reader that pushes and falls silent', () => {
  const database = useDatabase();
  const log = pino({ level: 'silent' });
  const lifecycle = new Lifecycle(log);
  database.beforeDrop(() => lifecycle.stop());

  it('is cut off, and one that goes on slowly is not', async () => {
    const site = await Site.create(database);
    const id = await site.reader('slow', [await site.location('DOCK')]);
    const { pushUrl } = await startEmbeddedIngest(ingestConfig(database.url, 0, 0), log, lifecycle);
    const begin = async (length: number) => {
      const socket = connect(Number(new URL(String(pushUrl)).port), '127.0.0.1');
      await once(socket, 'connect');
      const login = `Authorization: Basic ${Buffer.from('slow:slow').toString('base64')}`;
      socket.write(
        `POST /readers/v1/${id} HTTP/1.1\r\nHost: x\r\n${login}\r\nContent-Length: ${length}\r\n\r\n[`,
      );
      return socket;
    };
    const silent = await begin(100);
    const slow = await begin(100);
    const trickle = setInterval(() => slow.write(' '), 1_000);
    const [hadError] = await once(silent.resume(), 'close');
    expect([hadError, slow.closed]).to.deep.equal([false, false]);
    clearInterval(trickle);
    slow.write(`${' '.repeat(100)}]`);
    const [answer] = await once(slow, 'data');
    expect(String(answer)).to.match(/^HTTP\/1.1 200 /);
    slow.destroy();
  });
});
