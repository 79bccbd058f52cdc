import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { expect } from 'chai';
import { pino } from 'pino';
import { Lifecycle } from '../../../platform/runtime/lifecycle.ts';
import { startEmbeddedIngest } from '../../../services/mqtt-ingest/ingest.ts';
import { useDatabase } from '../../support/database.ts';
import { connected, connectReader, ingestConfig } from '../../support/ingest.ts';
import { Site } from '../../support/site.ts';

describe('a reader that says it dropped reads', () => {
  const database = useDatabase();
  const logged = new PassThrough({ encoding: 'utf8' });
  const lifecycle = new Lifecycle(pino({ level: 'silent' }));
  let port: number;
  before(async () => {
    const site = await Site.create(database);
    await site.reader('portal', [null], { topic: 'site/portal', format: 'impinj-r700' });
    ({ port } = await startEmbeddedIngest(
      ingestConfig(database.url),
      pino({ level: 'warn' }, logged),
      lifecycle,
    ));
    database.beforeDrop(() => lifecycle.stop());
  });

  it('is named in the log, and the message is ignored', async () => {
    const portal = connectReader(port, 'portal');
    await connected(portal);
    const line = once(logged, 'data');
    await portal.publishAsync('site/portal', '{"eventType":"overflow","overflowEvent":{}}', { qos: 1 });
    expect(JSON.parse(String((await line)[0]))).to.deep.include({
      level: 40,
      orgId: 1,
      reader: 'portal',
      warning: 'item /eventType is one of: overflow, overflowEvent',
      times: 1,
    });
    await portal.endAsync();
    const [counters] = await database.rows('select messages, ignored, reads from reader_counters');
    expect(counters).to.deep.equal({ messages: 1, ignored: 1, reads: 0 });
  });
});
