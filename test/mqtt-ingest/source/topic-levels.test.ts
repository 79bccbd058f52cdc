import { expect } from 'chai';
import { Lifecycle } from '../../../platform/runtime/lifecycle.ts';
import { startEmbeddedIngest } from '../../../services/mqtt-ingest/ingest.ts';
import { useDatabase } from '../../support/database.ts';
import { connected, connectReader, ingestConfig } from '../../support/ingest.ts';
import { recordedLog } from '../../support/recorded-log.ts';
import { Site } from '../../support/site.ts';

describe('topics of more levels than the embedded broker takes', () => {
  const database = useDatabase();
  const log = recordedLog();
  let port: number;

  before(async () => {
    const site = await Site.create(database);
    const dock = await site.location('DOCK');
    await site.reader('deep', [dock], { topic: `${'a/'.repeat(119)}x` });
    await site.reader('flat', [dock], { topic: 'flat/#' });
    const lifecycle = new Lifecycle(log.log);
    port = (await startEmbeddedIngest(ingestConfig(database.url), log.log, lifecycle)).port;
    database.beforeDrop(() => lifecycle.stop());
  });

  const reasons = (username: string) =>
    log.lines.flatMap((line) =>
      line.msg === 'Reader refused' && line['username'] === username ? [line['reason']] : [],
    );

  it('are named in the log when their reader connects, with the remedy', async () => {
    const reader = connectReader(port, 'deep');
    await connected(reader);
    await reader.endAsync(true);
    expect(reasons('deep')).to.deep.equal([
      'its topic has more than 100 levels, which this broker does not take; register a shorter one',
    ]);
  });

  it('are why a connection ends, which the log says', async () => {
    const reader = connectReader(port, 'flat');
    await connected(reader);
    reader.on('error', () => {});
    reader.publish(`flat/${'a/'.repeat(119)}x`, '{}', { qos: 1 });
    await new Promise((resolve) => reader.once('close', () => resolve(null)));
    await reader.endAsync(true);
    expect(reasons('flat')).to.deep.equal(['the broker ended its connection: topic has too many levels']);
  });
});
