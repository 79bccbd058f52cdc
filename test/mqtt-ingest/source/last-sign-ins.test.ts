import { expect } from 'chai';
import { pino } from 'pino';
import { databaseOn } from '../../../db/timescale/connections/database.ts';
import { createConsumer } from '../../../domain/administration/mqtt-consumers/consumers.ts';
import { Lifecycle } from '../../../platform/runtime/lifecycle.ts';
import { startEmbeddedIngest } from '../../../services/mqtt-ingest/ingest.ts';
import { TEST_ACTOR } from '../../support/actor.ts';
import { useDatabase } from '../../support/database.ts';
import { connected, connectReader, ingestConfig } from '../../support/ingest.ts';
import { Site } from '../../support/site.ts';

describe('the time somebody last signed in at the embedded broker', () => {
  const database = useDatabase();

  it('is noted of readers and consumers, and not of who was refused', async () => {
    const site = await Site.create(database);
    for (const name of ['in', 'refused', 'idle']) {
      await site.reader(name, [null]);
    }
    const create = (name: string) =>
      createConsumer(databaseOn(database.pool), TEST_ACTOR, { orgId: site.orgId, name });
    const [consumer, other] = [await create('in'), await create('refused')];
    const log = pino({ level: 'silent' });
    const lifecycle = new Lifecycle(log);
    const config = { ...ingestConfig(database.url), MQTT_MOVES_PREFIX: 'site' };
    const { port } = await startEmbeddedIngest(config, log, lifecycle);
    const signIn = async (username: string, password: string) => {
      const client = connectReader(port, username, { password });
      const outcome = await connected(client).then(
        () => 'in',
        () => 'refused',
      );
      await client.endAsync(true);
      return outcome;
    };
    expect(await signIn('in', 'in')).to.equal('in');
    expect(await signIn('refused', 'wrong')).to.equal('refused');
    expect(await signIn(consumer.username, consumer.password)).to.equal('in');
    expect(await signIn(other.username, consumer.password)).to.equal('refused');
    await lifecycle.stop();
    for (const table of ['readers', 'mqtt_consumers']) {
      const rows = await database.rows<{ name: string }>(
        `select name from ${table} where last_used_at is not null and last_used_at <= now()`,
      );
      expect(rows, table).to.deep.equal([{ name: 'in' }]);
    }
  });
});
