import { spawn } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { expect } from 'chai';
import mqtt from 'mqtt';
import { Lifecycle } from '../../../platform/runtime/lifecycle.ts';
import { startTls } from '../../../platform/runtime/start-tls.ts';
import { startEmbeddedIngest } from '../../../services/mqtt-ingest/ingest.ts';
import { certificate, certificateFile } from '../../support/certificates.ts';
import { useDatabase } from '../../support/database.ts';
import { connected, ingestConfig } from '../../support/ingest.ts';
import { PROGRAM_ENVIRONMENT, useProgram } from '../../support/programs.ts';
import { recordedLog } from '../../support/recorded-log.ts';
import { Site } from '../../support/site.ts';
import { until } from '../../support/subscribed-ingest.ts';

const TOPIC = 'site/portal';
const certificateOf = (name: string) => ({
  cert: certificate(`${name}.crt`),
  key: certificate(`${name}.key`),
});

describe('readers over TLS', () => {
  const database = useDatabase();
  const { log, lines } = recordedLog();
  const lifecycle = new Lifecycle(log);
  const ports = { accepted: 0, required: 0 };
  const clients: mqtt.MqttClient[] = [];
  let portal: number;
  let folder: string;

  before(async () => {
    const site = await Site.create(database);
    const dock = await site.location('DOCK');
    await site.asset('PALLET', 'E2801160');
    portal = await site.reader('portal', [dock], { topic: TOPIC });
    await site.reader('window', [dock], { topic: 'site/window' });
    folder = mkdtempSync(join(tmpdir(), 'tagtrail-readers-'));
    putCertificate('broker');
    const files = {
      ...{ TLS_CERT_FILE: join(folder, 'tls.crt'), TLS_KEY_FILE: join(folder, 'tls.key') },
      TLS_CLIENT_CA_FILE: certificateFile('ca.crt'),
    };
    const tls = await startTls(files, { log, lifecycle, lookEvery: 20 });
    for (const certificates of ['accepted', 'required'] as const) {
      const config = { ...ingestConfig(database.url), ...files, TLS_CLIENT_CERTIFICATES: certificates };
      const { port } = await startEmbeddedIngest(config, log, lifecycle, { tls });
      ports[certificates] = port;
    }
  });
  database.beforeDrop(async () => {
    await Promise.all(clients.map((client) => client.endAsync(true)));
    await lifecycle.stop();
    rmSync(folder, { recursive: true });
  });

  function putCertificate(name: string): void {
    copyFileSync(certificateFile(`${name}.crt`), join(folder, 'tls.crt'));
    copyFileSync(certificateFile(`${name}.key`), join(folder, 'tls.key'));
  }
  const shownTo = (client: mqtt.MqttClient) =>
    (client.stream as TLSSocket).getPeerX509Certificate()?.fingerprint256;
  async function signIn(certificates: 'accepted' | 'required', options: mqtt.IClientOptions) {
    const url = `mqtts://127.0.0.1:${ports[certificates]}`;
    const client = mqtt.connect(url, { ca: certificate('ca.crt'), reconnectPeriod: 0, ...options });
    clients.push(client.on('error', () => {}));
    await connected(client);
    return client;
  }
  const reasons = () => lines.map(({ reason }) => String(reason)).join('\n');
  const refused = async (...how: Parameters<typeof signIn>) => {
    const error = await signIn(...how).then(
      () => null,
      (reason: Error) => reason,
    );
    expect(error).to.be.an.instanceOf(Error);
  };
  const stored = async () => (await database.rows('select from scan_events')).length;
  const publish = async (client: mqtt.MqttClient) => {
    const before = await stored();
    await client.publishAsync(TOPIC, JSON.stringify({ value: 'E2801160' }), { qos: 1 });
    expect(await stored()).to.equal(before + 1);
  };
  const password = { username: 'portal', password: 'portal' };

  it('sign in by their password', async () => {
    await publish(await signIn('accepted', password));
    await refused('accepted', { ...password, password: 'window' });
  });

  it('sign in by a certificate that names them, without a password', async () => {
    await publish(await signIn('accepted', certificateOf('reader')));
    await publish(await signIn('required', { ...certificateOf('reader'), username: 'portal' }));
  });

  it('are nobody by a certificate of another authority', async () => {
    await refused('accepted', certificateOf('impostor'));
    await refused('accepted', { ...certificateOf('impostor'), username: 'portal' });
    await publish(await signIn('accepted', { ...certificateOf('impostor'), ...password }));
    await refused('required', { ...certificateOf('impostor'), ...password });
    await until(() => lines.some(({ reason }) => String(reason).startsWith('no valid certificate (')));
    expect(reasons()).to.include('its certificate is not valid (');
  });

  it('are nobody else by a certificate of their own', async () => {
    await refused('accepted', { ...certificateOf('reader'), username: 'window' });
    await refused('required', { ...certificateOf('reader'), username: 'window', password: 'window' });
    await refused('accepted', certificateOf('client'));
    expect(reasons()).to.match(/its certificate is for portal, and it has another user name/);
    expect(reasons()).to.match(/its certificate is for \S.*, and no reader has that user name/);
  });

  it('get in by no password where certificates are required', async () => {
    await refused('required', password);
  });

  it('stay connected while the certificate of the broker is renewed, which who comes then is shown', async () => {
    const there = await signIn('accepted', password);
    const { stream } = there;
    putCertificate('renewed');
    await until(() => lines.some(({ msg }) => msg === 'TLS certificate reloaded'));
    const { fingerprint256 } = new X509Certificate(certificate('renewed.crt'));
    expect(shownTo(await signIn('accepted', certificateOf('reader')))).to.equal(fingerprint256);
    expect(shownTo(await signIn('required', certificateOf('reader')))).to.equal(fingerprint256);
    await publish(there);
    expect(there.stream).to.equal(stream);
    expect(shownTo(there)).to.equal(new X509Certificate(certificate('broker.crt')).fingerprint256);
  });

  it('say nothing over plain MQTT', async () => {
    const client = mqtt.connect(`mqtt://127.0.0.1:${ports.accepted}`, { ...password, reconnectPeriod: 0 });
    clients.push(client.on('error', () => {}));
    const error = await connected(client).catch((reason: Error) => reason);
    expect(error).to.be.an.instanceOf(Error);
  });

  describe("by mosquitto's client", () => {
    useProgram('mosquitto_pub');

    it('publish with a certificate', async () => {
      const before = await stored();
      const files = { '--cafile': 'ca.crt', '--cert': 'reader.crt', '--key': 'reader.key' };
      const args = Object.entries(files).flatMap(([flag, name]) => [flag, certificateFile(name)]);
      const child = spawn(
        'mosquitto_pub',
        [
          '-h',
          '127.0.0.1',
          '-p',
          `${ports.required}`,
          '-q',
          '1',
          '-t',
          TOPIC,
          '-m',
          '{"value":"E2801160"}',
          ...args,
        ],
        { env: PROGRAM_ENVIRONMENT, stdio: 'ignore' },
      );
      expect(await once(child, 'close')).to.deep.equal([0, null]);
      expect(await stored()).to.equal(before + 1);
    });
  });

  describe('that are deleted', () => {
    it('are nobody, whatever their certificate says', async () => {
      await database.rows('update readers set deleted_at = now() where id = $1', [portal]);
      const isRefused = () =>
        signIn('required', certificateOf('reader')).then(
          () => false,
          () => true,
        );
      await until(isRefused);
    });
  });
});
