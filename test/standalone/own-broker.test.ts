import { once } from 'node:events';
import { createConnection } from 'node:net';
import { expect } from 'chai';
import { useDatabase } from '../support/database.ts';
import { freePort } from '../support/free-port.ts';
import { useMosquitto } from '../support/mosquitto.ts';
import { run } from '../support/process.ts';
import { Site } from '../support/site.ts';
import { until } from '../support/subscribed-ingest.ts';

describe("everything in one process with a broker of one's own", () => {
  const broker = useMosquitto();
  const database = useDatabase();

  it('takes its messages from the broker that MQTT_URL names, and starts none', async () => {
    const site = await Site.create(database);
    await site.asset('PALLET', 'E2801160');
    await site.reader('portal', [await site.location('DOCK')], { topic: 'site/portal' });
    const port = await freePort();
    const program = run('services/standalone/main.ts', [], {
      DATABASE_URL: database.url,
      MQTT_URL: broker.url.replace('//', '//someone:secret@'),
      MQTT_PORT: String(port),
      API_PORT: '0',
      HANDHELD_PORT: '0',
      CONSOLE_PORT: '0',
      READERS_PORT: '0',
    });
    database.beforeDrop(async () => {
      program.child.kill('SIGKILL');
      await program.ended;
    });
    await program.printed('Database');
    expect(program.stdout()).to.include(`MQTT       ${broker.url}\n`).and.not.include('secret');
    const [error] = await once(createConnection(port, '127.0.0.1'), 'error');
    expect(error).to.have.property('code', 'ECONNREFUSED');

    const reader = await broker.connect();
    const payload = JSON.stringify({ value: 'E2801160', observed_at: new Date().toISOString() });
    await until(async () => {
      await reader.publishAsync('site/portal', payload, { qos: 1 });
      return (await database.rows('select from scan_events')).length === 1;
    });
    program.child.kill('SIGINT');
    expect(await program.ended).to.equal(0);
    expect(program.stdout()).to.match(/Stopped in order\.\n$/);
  });
});
