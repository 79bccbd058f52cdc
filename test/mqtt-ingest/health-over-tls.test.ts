import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { get } from 'node:https';
import { text } from 'node:stream/consumers';
import { connect } from 'node:tls';
import { expect } from 'chai';
import { BROKER_TLS, certificate } from '../support/certificates.ts';
import { useDatabase } from '../support/database.ts';
import { useMosquitto } from '../support/mosquitto.ts';
import { type Program, run } from '../support/process.ts';

const ca = certificate('ca.crt');

describe('the health and metrics of the ingest process over TLS', () => {
  const broker = useMosquitto();
  const database = useDatabase();
  let program: Program | undefined;
  let port: number;

  before(async () => {
    program = run('services/mqtt-ingest/main.ts', [], {
      ...BROKER_TLS,
      DATABASE_URL: database.url,
      MQTT_URL: broker.url,
      INGEST_PORT: '0',
    });
    await program.printed('Ingestion running');
    const [, address = ''] = /"(https:\/\/[^"]+)"/.exec(program.stdout()) ?? [];
    port = Number(new URL(address).port);
  });
  database.beforeDrop(async () => {
    program?.child.kill('SIGKILL');
    await program?.ended;
  });

  it('are given with the certificate that it has', async () => {
    for (const [path, said] of [
      ['/healthz', '"status":"alive"'],
      ['/readyz', '"database":"ok"'],
      ['/metrics', 'tagtrail_tls_certificate_expiry_timestamp_seconds'],
    ]) {
      const [response] = (await once(get(`https://localhost:${port}${path}`, { ca }), 'response')) as [
        IncomingMessage,
      ];
      expect(await text(response), path).to.include(said);
    }
  });

  it('are given by no other protocol, and by no version before 1.2', async () => {
    const plain = await fetch(`http://127.0.0.1:${port}/healthz`).then(
      ({ status }) => `answered ${status}`,
      () => 'refused',
    );
    expect(plain).to.equal('refused');
    const old = connect({
      host: '127.0.0.1',
      port,
      ca,
      minVersion: 'TLSv1',
      maxVersion: 'TLSv1.1',
      ciphers: 'DEFAULT@SECLEVEL=0',
    });
    const [{ code }] = await once(old, 'error').catch((error) => [error]);
    expect(code).to.equal('ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION');
    const current = connect({ host: '127.0.0.1', servername: 'localhost', port, ca });
    await once(current, 'secureConnect');
    expect(current.getProtocol()).to.equal('TLSv1.3');
    current.destroy();
  });
});
