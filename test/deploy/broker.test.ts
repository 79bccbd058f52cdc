import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect } from 'chai';
import mqtt from 'mqtt';
import { certificate, certificateFile } from '../support/certificates.ts';
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
    await silent.publishAsync('site/portal', 'again', { qos: 1 });
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

  describe('with messages that wait in the sessions of ingestion', () => {
    const sessions = Array.from({ length: 8 }, (_, index) => `tagtrail-readers-${index}`);
    const WAITING = ['1', '2', '3'];
    const lasting = { clean: false, properties: { sessionExpiryInterval: 3_600 } };
    const found: Record<string, string[]> = {};
    const take = (clientId: string) =>
      broker.connect('tagtrail', 'own-secret', { ...lasting, clientId }, (client) => {
        client.on('message', (_, payload) => found[clientId]?.push(payload.toString()));
      });
    /** Of each session, what its next connection is given. */
    const kept = async () => {
      for (const clientId of sessions) {
        found[clientId] = [];
        const client = await take(clientId);
        // Granted after what waited was sent.
        await client.subscribeAsync('site/mark', { qos: 1 });
        await client.endAsync();
      }
      return sessions.map((clientId) => found[clientId]);
    };

    beforeEach(async () => {
      broker.logins(['add', 'reader-1', 'site/portal'], { input: 'first' });
      broker.logins(['add', 'reader-2', 'site/hostile'], { input: 'second' });
      await broker.reload();
      for (const clientId of sessions) {
        const client = await take(clientId);
        await client.subscribeAsync('site/portal', { qos: 1 });
        await client.endAsync();
      }
      const reader = await broker.connect('reader-1', 'first');
      for (const message of WAITING) {
        await reader.publishAsync('site/portal', message, { qos: 1 });
      }
    });

    it('lets no reader take one, by whatever client id it connects', async () => {
      for (const url of broker.readersUrls) {
        for (const clientId of sessions) {
          for (const way of [{}, { clean: false }, { protocolVersion: 4 }] as const) {
            const hostile = await broker.connect('reader-2', 'second', { url, clientId, ...way });
            await hostile.publishAsync('site/hostile', 'x', { qos: 1 });
            await hostile.endAsync();
            await refused(broker.connect('reader-2', 'wrong', { url, clientId, ...way }));
          }
        }
      }
      expect(await kept()).to.deep.equal(sessions.map(() => WAITING));
    });

    it('ends none of those that are connected', async () => {
      const clientId = 'tagtrail-readers-0';
      found[clientId] = [];
      const held = await take(clientId);
      for (const url of broker.readersUrls) {
        const hostile = await broker.connect('reader-2', 'second', { url, clientId });
        await hostile.publishAsync('site/hostile', 'x', { qos: 1 });
      }
      await held.subscribeAsync('site/mark', { qos: 1 });
      expect(held.connected).to.equal(true);
    });

    // Before, refusing a client that names no user dropped the session by its id (`context__remove_from_by_id`).
    it('lets nobody without a login end one, from mosquitto 2.0.13 on', async () => {
      const [, patch] =
        /version 2\.0\.(\d+)/.exec(spawnSync('mosquitto', ['-h'], { env: PATHS }).stdout.toString()) ?? [];
      for (const url of broker.readersUrls) {
        for (const clientId of sessions) {
          await refused(broker.connect(undefined, undefined, { url, clientId }));
        }
      }
      const areKept = Number(patch ?? 13) >= 13;
      expect(await kept()).to.deep.equal(sessions.map(() => (areKept ? WAITING : [])));
    });
  });

  it('has each login once, whatever its client calls itself', async () => {
    broker.logins(['add', 'reader-1', 'site/portal'], { input: 'first' });
    broker.logins(['add', 'reader-2', 'site/hostile'], { input: 'second' });
    await broker.reload();
    const reader = await broker.connect('reader-1', 'first', { clientId: 'of-its-own' });
    const consumer = await broker.connect('reader-2', 'second', { clientId: 'of-its-own' });
    const ended = new Promise<void>((resolve) => reader.once('close', () => resolve()));
    const again = await broker.connect('reader-1', 'first', { clientId: 'another' });
    await ended;
    await Promise.all([
      again.publishAsync('site/portal', 'x', { qos: 1 }),
      consumer.publishAsync('site/hostile', 'x', { qos: 1 }),
    ]);
  });

  it('lets nobody in without a password', async () => {
    for (const url of [broker.ownUrl, ...broker.readersUrls]) {
      await refused(broker.connect(undefined, undefined, { url }));
      await refused(broker.connect('tagtrail', 'reader-1', { url }));
    }
  });

  it('never has a password in a file as it is', () => {
    expect(readFileSync(join(broker.folder, 'logins', 'passwords'), 'utf8')).not.to.match(
      /secret|first|tenth/,
    );
  });

  it('says what is wrong with a login', () => {
    const listed = broker.logins(['list']).said;
    for (const [args, input, message] of [
      [['add', 'a:b', 'topic'], 'x', 'A name is letters'],
      [['add', '', 'topic'], 'x', 'A name is letters'],
      [['add', 'tagtrail', 'topic'], 'x', "tagtrail's own login"],
      [['add', 'tagtrail-readers-0', 'topic'], 'x', 'take another name: tagtrail-readers-0'],
      [['consumer', 'tagtrail-ingest-1', 'topic'], 'x', 'take another name: tagtrail-ingest-1'],
      [['consumer', 'plant-readers-7', 'topic'], 'x', 'take another name: plant-readers-7'],
      [['add', 'plant-moves', 'topic'], 'x', 'take another name: plant-moves'],
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
    expect(broker.logins(['list']).said).to.equal(listed);
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

/**
 * mosquitto with the file that is deployed, with its listener for TLS; only where it listens and keeps its files is another
 * place.
 */
function useDeployedBroker() {
  useProgram('mosquitto', 'mosquitto_passwd');
  const folder = mkdtempSync(join(tmpdir(), 'tagtrail-broker-'));
  const clients: mqtt.MqttClient[] = [];
  let stop = async () => {};
  const broker = {
    ownUrl: '',
    /** The plain one, and the one with TLS. */
    readersUrls: [] as string[],
    folder,
    environment: {
      ...PATHS,
      LOGINS: join(folder, 'logins'),
      MQTT_PASSWORD: 'own-secret',
      MQTT_MOVES_PREFIX: 'moves',
      MQTT_HOME_ASSISTANT_PREFIX: 'homeassistant',
    },
    /** Ingestion's login at ingestion's listener, all others at the one for them, unless a `url` is named. */
    connect: async (
      username: string | undefined,
      password: string | undefined,
      { url, ...options }: mqtt.IClientOptions & { url?: string } = {},
      onMade: (client: mqtt.MqttClient) => void = () => {},
    ) => {
      const client = mqtt.connect(
        url ?? (username === 'tagtrail' ? broker.ownUrl : (broker.readersUrls[0] ?? '')),
        {
          ...(username === undefined || password === undefined ? {} : { username, password }),
          ...{ protocolVersion: 5, reconnectPeriod: 0, ca: certificate('ca.crt'), ...options },
        },
      );
      onMade(client);
      await new Promise((resolve, reject) => {
        client.once('connect', resolve);
        client.once('error', reject);
        client.once('close', () => reject(new Error('the broker closed the connection')));
      });
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
    const [own, plain, tls] = [await freePort(), await freePort(), await freePort()];
    broker.ownUrl = `mqtt://127.0.0.1:${own}`;
    broker.readersUrls = [`mqtt://127.0.0.1:${plain}`, `mqtts://localhost:${tls}`];
    broker.logins(['init']);
    const deployed = readDeployed('mosquitto/mosquitto.conf');
    const here = deployed
      .replace('\nlistener 1883\n', `\nlistener ${own} 127.0.0.1\n`)
      .replace('\nlistener 1884\n', `\nlistener ${plain} 127.0.0.1\n`)
      .replace(/^# listener 8883\n(?:# \w+ .*\n)+/m, (lines) => lines.replaceAll('# ', ''))
      .replace('listener 8883\n', `listener ${tls} 127.0.0.1\n`)
      .replace('/mosquitto/config/certificates/fullchain.pem', certificateFile('broker.crt'))
      .replace('/mosquitto/config/certificates/privkey.pem', certificateFile('broker.key'))
      .replaceAll('/mosquitto/data/', `${folder}/`);
    expect(here.match(/^listener .*/gm)).to.deep.equal(
      [own, plain, tls].map((port) => `listener ${port} 127.0.0.1`),
    );
    expect(here).not.to.include('/mosquitto/');
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
    await Promise.all(clients.filter((client) => client.connected).map((client) => client.endAsync(true)));
    await stop();
    rmSync(folder, { recursive: true });
  });
  return broker;
}
