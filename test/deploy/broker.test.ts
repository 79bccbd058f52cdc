import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect } from 'chai';
import mqtt from 'mqtt';
import { freePort } from '../support/free-port.ts';
import { PROGRAM_ENVIRONMENT, useProgram } from '../support/programs.ts';
import { until } from '../support/subscribed-ingest.ts';
import { DEPLOY, readDeployed } from './folder.ts';

const LOGINS = `${DEPLOY}/mosquitto/logins.sh`;

const PATHS = { PATH: PROGRAM_ENVIRONMENT.PATH };

describe('the configuration of mosquitto', () => {
  const broker = useDeployedBroker();

  it('lets tagtrail read every topic, shared or not, and write its status', async () => {
    const client = await broker.connect('tagtrail', 'own-secret');
    const granted = await client.subscribeAsync(['site/portal', '$share/tagtrail/site/portal'], { qos: 1 });
    expect(granted.map(({ qos }) => qos)).to.deep.equal([1, 1]);
    await client.publishAsync('tagtrail/ingest/one/status', 'x', { qos: 1 });
    await refused(client.publishAsync('site/portal', 'x', { qos: 1 }));
  });

  it('lets a reader publish to its own topic and do nothing else', async () => {
    broker.logins(['add', 'reader-1', 'site/portal'], { input: 'first' });
    await broker.reload();
    const reader = await broker.connect('reader-1', 'first');
    const own = await broker.connect('tagtrail', 'own-secret');
    await own.subscribeAsync('site/portal', { qos: 1 });
    const received = nextMessage(own);
    await reader.publishAsync('site/portal', 'read', { qos: 1 });
    expect(await received).to.equal('read');
    // A refusal ends the connection.
    for (const topic of ['site/another', 'tagtrail/ingest/one/status']) {
      const another = await broker.connect('reader-1', 'first');
      await refused(another.publishAsync(topic, 'x', { qos: 1 }));
    }
    const silent = await broker.connect('reader-1', 'first');
    silent.on('message', () => expect.fail('a reader heard something'));
    await silent.subscribeAsync('#', { qos: 1 });
    const again = nextMessage(own);
    await reader.publishAsync('site/portal', 'again', { qos: 1 });
    expect(await again).to.equal('again');
  });

  it('lets tagtrail publish moves, and a consumer read those of its organization and do nothing else', async () => {
    broker.logins(['consumer', 'consumer-1', 'moves/1/#', 'homeassistant/sensor/tagtrail-1/#'], {
      input: 'third',
    });
    await broker.reload();
    const own = await broker.connect('tagtrail', 'own-secret');
    const retained = { qos: 1, retain: true } as const;
    await own.publishAsync('moves/1/assets/A/location', 'one', retained);
    await own.publishAsync('moves/2/assets/A/location', 'two', retained);
    await own.publishAsync('homeassistant/sensor/tagtrail-2/asset-1/config', 'two', retained);
    await own.publishAsync('homeassistant/sensor/tagtrail-1/asset-1/config', 'found', retained);
    const consumer = await broker.connect('consumer-1', 'third');
    const heard: string[] = [];
    consumer.on('message', (_, payload) => heard.push(payload.toString()));
    await consumer.subscribeAsync(['moves/#', 'homeassistant/#'], { qos: 1 });
    await own.publishAsync('moves/2/assets/A/location', 'two', retained);
    await own.publishAsync('moves/1/assets/A/location', 'last', retained);
    await until(() => heard.includes('last'));
    expect(heard).to.include.members(['one', 'found']).and.not.include('two');
    await refused(consumer.publishAsync('moves/1/assets/A/location', 'x', retained));
    const reader = await broker.connect('reader-1', 'first');
    await refused(reader.publishAsync('moves/1/assets/A/location', 'x', retained));
    broker.logins(['remove', 'consumer-1']);
  });

  it('changes the password and the topic of a reader, keeps the others, and removes one', async () => {
    broker.logins(['add', 'reader-1', 'a reader/topic'], { input: 'second\n' });
    broker.logins(['add', 'reader-10', 'ten'], { input: 'tenth' });
    await broker.reload();
    await refused(broker.connect('reader-1', 'first'));
    await (await broker.connect('reader-1', 'second')).publishAsync('a reader/topic', 'x', { qos: 1 });
    expect(broker.logins(['list']).said.split('\n')).to.deep.equal([
      'tagtrail: read #',
      'tagtrail: write tagtrail/ingest/+/status',
      'tagtrail: write moves/+/assets/#',
      'tagtrail: write homeassistant/sensor/+/+/config',
      'reader-1: write a reader/topic',
      'reader-10: write ten',
      '',
    ]);
    broker.logins(['remove', 'reader-1']);
    await broker.reload();
    await refused(broker.connect('reader-1', 'second'));
    await broker.connect('reader-10', 'tenth');
    expect(broker.logins(['list']).said).not.to.include('reader-1:');
  });

  it('adds all of several that are added at once', async () => {
    const names = Array.from({ length: 6 }, (_, index) => `at-once-${index}`);
    const added = names.map(async (name) => {
      const child = spawn('sh', [LOGINS, 'add', name, name], { env: broker.environment });
      child.stdin.end(name);
      const [status] = await once(child, 'exit');
      return status;
    });
    expect(await Promise.all(added)).to.deep.equal(names.map(() => 0));
    await broker.reload();
    await Promise.all(names.map((name) => broker.connect(name, name)));
    const listed = broker.logins(['list']).said.split('\n');
    expect(listed).to.include.members(names.map((name) => `${name}: write ${name}`));
  });

  it('lets nobody in without a password', async () => {
    await refused(mqtt.connectAsync(broker.url, { reconnectPeriod: 0 }));
    await refused(broker.connect('tagtrail', 'reader-1'));
  });

  it('never has a password in a file as it is', () => {
    expect(readFileSync(join(broker.folder, 'logins', 'passwords'), 'utf8')).not.to.match(
      /secret|first|tenth/,
    );
  });

  it('says what is wrong with a login', () => {
    for (const [args, input, message] of [
      [['add', 'a:b', 'topic'], 'x', 'A name is letters'],
      [['add', '', 'topic'], 'x', 'A name is letters'],
      [['add', 'tagtrail', 'topic'], 'x', "tagtrail's own login"],
      [['add', 'reader-2', 'a\ntopic #'], 'x', 'A topic is one line'],
      [['add', 'reader-2', 'topic'], '', 'The password is read from standard input'],
      [['add', 'reader-2'], 'x', 'Usage:'],
      [['consumer', 'reader-2'], 'x', 'Usage:'],
      [['consumer', 'reader-2', 'a', 'a\ntopic #'], 'x', 'A topic is one line'],
      [[], '', 'Usage:'],
    ] as const) {
      const { status, said } = broker.logins(args, { input, mayFail: true });
      expect(status, said).to.equal(1);
      expect(said).to.include(message);
    }
    expect(broker.logins(['list']).said).not.to.include('reader-2');
  });
});

function nextMessage(client: mqtt.MqttClient): Promise<string> {
  return new Promise((resolve) => {
    client.once('message', (_, payload) => resolve(payload.toString()));
  });
}

async function refused(attempt: Promise<unknown>): Promise<void> {
  const outcome = await attempt.then(
    () => 'let through',
    () => 'refused',
  );
  expect(outcome).to.equal('refused');
}

/** mosquitto with the file that is deployed; only where it listens and keeps its files is another place. */
function useDeployedBroker() {
  useProgram('mosquitto', 'mosquitto_passwd');
  const folder = mkdtempSync(join(tmpdir(), 'tagtrail-broker-'));
  const clients: mqtt.MqttClient[] = [];
  let stop = async () => {};
  const broker = {
    url: '',
    folder,
    environment: {
      ...PATHS,
      LOGINS: join(folder, 'logins'),
      MQTT_PASSWORD: 'own-secret',
      MQTT_MOVES_PREFIX: 'moves',
      MQTT_HOME_ASSISTANT_PREFIX: 'homeassistant',
    },
    connect: async (username: string, password: string) => {
      const options = { username, password, protocolVersion: 5, reconnectPeriod: 0 } as const;
      const client = await mqtt.connectAsync(broker.url, options);
      clients.push(client);
      return client;
    },
    logins: (args: readonly string[], { input = '', mayFail = false } = {}) => {
      const { status, stdout, stderr } = spawnSync('sh', [LOGINS, ...args], {
        encoding: 'utf8',
        input,
        env: broker.environment,
      });
      expect(mayFail || status === 0, stderr).to.equal(true);
      return { status, said: stdout + stderr };
    },
    reload: async () => {},
  };
  before(async () => {
    const port = await freePort();
    broker.url = `mqtt://127.0.0.1:${port}`;
    broker.logins(['init']);
    const deployed = readDeployed('mosquitto/mosquitto.conf');
    const here = deployed
      .replace('listener 1883', `listener ${port} 127.0.0.1`)
      .replaceAll('/mosquitto/data/', `${folder}/`);
    expect(here).not.to.equal(deployed);
    // Root would hand the broker over to another user, who cannot read this folder.
    writeFileSync(join(folder, 'mosquitto.conf'), `${here}\nuser root\nlog_type all\n`);
    const child = spawn('mosquitto', ['-c', join(folder, 'mosquitto.conf')], { env: PATHS });
    const exited = once(child, 'exit');
    const lines = createInterface({ input: child.stderr });
    const said = (text: string) =>
      new Promise<void>((resolve) => {
        const look = (line: string) => {
          if (line.includes(text)) {
            lines.off('line', look);
            resolve();
          }
        };
        lines.on('line', look);
      });
    stop = async () => {
      child.kill();
      await exited;
    };
    broker.reload = async () => {
      const reloaded = said('Reloading config');
      child.kill('SIGHUP');
      await reloaded;
    };
    await said(' running');
  });
  after(async () => {
    await Promise.all(clients.map((client) => client.endAsync(true)));
    await stop();
    rmSync(folder, { recursive: true });
  });
  return broker;
}
