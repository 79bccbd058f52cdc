import { expect } from 'chai';
import { useDatabase } from '../support/database.ts';
import { useMosquitto } from '../support/mosquitto.ts';
import { type Program, run } from '../support/process.ts';
import { Site } from '../support/site.ts';
import { until } from '../support/subscribed-ingest.ts';

describe('the ingest process', () => {
  const broker = useMosquitto();
  const database = useDatabase();
  const programs: Program[] = [];
  const start = (environment: NodeJS.ProcessEnv) => {
    const program = run('services/mqtt-ingest/main.ts', [], environment);
    programs.push(program);
    return program;
  };
  database.beforeDrop(async () => {
    for (const { child, ended } of programs) {
      child.kill('SIGKILL');
      await ended;
    }
  });

  it('ends with 1 and one message for everything that is wrong with its settings', async () => {
    const program = start({
      INGEST_PORT: 'x',
      MQTT_CLIENT_ID: 'a/b',
      MQTT_VERSION: '4',
      MQTT_SHARED_GROUP: '+',
      MQTT_CA_FILE: '/nowhere/ca.pem',
    });
    expect(await program.ended).to.equal(1);
    expect(program.stderr().trimEnd().split('\n')).to.deep.equal([
      'DATABASE_URL is not set; set DATABASE_URL to an address such as postgres://user:password@host:5432/tagtrail, or of several servers: postgres://user:password@host1:5432,host2:5432/tagtrail?target_session_attrs=read-write',
      'MQTT_URL is not set; set MQTT_URL to an address such as mqtt://user:password@host:1883',
      'MQTT_CLIENT_ID is "a/b"; set MQTT_CLIENT_ID to 1 to 100 letters, digits, dots, hyphens and underscores',
      'MQTT_VERSION is "4"; set MQTT_VERSION to one of auto, 5, 3.1.1',
      'MQTT_SHARED_GROUP is "+"; set MQTT_SHARED_GROUP to 1 to 100 letters, digits, dots, hyphens and underscores, another for each database',
      'MQTT_CA_FILE is "/nowhere/ca.pem"; set MQTT_CA_FILE to the path of a file that this process can read',
      'INGEST_PORT is "x"; set INGEST_PORT to a whole number from 0 to 65535',
    ]);
  });

  it('says what is wrong with certificates', async () => {
    const settings = { DATABASE_URL: 'postgres://localhost/none', MQTT_URL: 'mqtts://localhost' };
    const without = start({ ...settings, MQTT_CERT_FILE: 'package.json' });
    expect(await without.ended).to.equal(1);
    expect(without.stderr()).to.equal(
      'Only one of MQTT_CERT_FILE and MQTT_KEY_FILE is set; set both, or none\n',
    );
    const wrong = start({ ...settings, MQTT_CA_FILE: 'package.json' });
    expect(await wrong.ended).to.equal(1);
    expect(wrong.stderr()).to.match(
      /^MQTT_CA_FILE cannot be used \(.+\); set MQTT_CA_FILE to a file with PEM certificates\n$/,
    );
    const idle = start({ ...settings, MQTT_URL: 'mqtt://localhost', MQTT_CA_FILE: 'package.json' });
    expect(await idle.ended).to.equal(1);
    expect(idle.stderr()).to.include('let MQTT_URL begin with mqtts://');
  });

  it('records, answers for its health, is ready while broker and database are there, and ends in order', async () => {
    const site = await Site.create(database);
    await site.asset('PALLET', 'E2801160');
    await site.reader('portal', [await site.location('DOCK')], { topic: 'site/portal' });
    const watcher = await broker.connect();
    const statuses: string[] = [];
    watcher.on('message', (_, payload) => statuses.push(JSON.parse(payload.toString()).status));
    await watcher.subscribeAsync('tagtrail/ingest/dock-1/status');

    const program = start({
      DATABASE_URL: database.url,
      MQTT_URL: broker.url,
      MQTT_CLIENT_ID: 'dock-1',
      INGEST_PORT: '0',
    });
    await program.printed('Ingestion running');
    const address = addressOf(program);
    const ready = async () => {
      const response = await fetch(`${address}/readyz`);
      const body = (await response.json()) as { checks: { database: string; broker: string } };
      return { status: response.status, body };
    };
    await until(async () => (await ready()).status === 200);
    await until(async () => (await metrics(address)).get('tagtrail_ingest_subscriptions') === 1);
    await watcher.publishAsync('site/portal', JSON.stringify({ value: 'E2801160' }), { qos: 1 });
    await until(async () => (await metrics(address)).get('tagtrail_ingest_committed_messages_total') === 1);
    expect(await database.rows('select tag_value from scan_events')).to.deep.equal([
      { tag_value: 'E2801160' },
    ]);
    expect(Object.fromEntries(await metrics(address))).to.include({
      tagtrail_ingest_broker_connected: 1,
      tagtrail_ingest_held_messages: 0,
      tagtrail_ingest_held_bytes: 0,
      tagtrail_ingest_received_messages_total: 1,
      tagtrail_ingest_receipt_to_commit_seconds_count: 1,
      tagtrail_ingest_read_to_commit_seconds_count: 0,
    });
    const isUp = async (check: string) => (await metrics(address)).get(`tagtrail_check_up{check="${check}"}`);
    expect([await isUp('database'), await isUp('broker')]).to.deep.equal([1, 1]);
    await until(() => statuses.length === 1);

    await broker.stop();
    await until(async () => (await ready()).status === 503);
    expect((await ready()).body.checks.database).to.equal('ok');
    expect((await ready()).body.checks.broker).to.match(/^not connected to the broker: /);
    expect([await isUp('database'), await isUp('broker')]).to.deep.equal([1, 0]);
    expect((await fetch(`${address}/healthz`)).status).to.equal(200);
    await broker.start();
    await until(async () => (await ready()).status === 200);

    program.child.kill('SIGTERM');
    expect(await program.ended).to.equal(0);
    expect(program.stderr()).to.equal('');
    const later = await broker.connect();
    const last = new Promise<string>((resolve) => {
      later.once('message', (_, payload) => resolve(payload.toString()));
    });
    await later.subscribeAsync('tagtrail/ingest/dock-1/status');
    expect(JSON.parse(await last)).to.deep.equal({ status: 'offline' });
    expect(statuses[0]).to.equal('online');
  });
});

function addressOf(program: Program): string {
  const line = program
    .stdout()
    .split('\n')
    .find((text) => text.includes('"address"'));
  return JSON.parse(line ?? '{}').address;
}

async function metrics(address: string): Promise<Map<string, number>> {
  const text = await (await fetch(`${address}/metrics`)).text();
  return new Map(
    [...text.matchAll(/^(\w\S*) (\S+)$/gm)].map(([, name = '', value]) => [name, Number(value)]),
  );
}
