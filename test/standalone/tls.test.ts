import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { get } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { readStandaloneConfig } from '../../services/standalone/config.ts';
import { BROKER_TLS, certificate, certificateFile } from '../support/certificates.ts';
import { useDatabase } from '../support/database.ts';
import { runDoctor } from '../support/doctor.ts';
import { run } from '../support/process.ts';

describe('everything in one process, over TLS', () => {
  const database = useDatabase();
  const faultOf = (environment: NodeJS.ProcessEnv) => {
    try {
      readStandaloneConfig({ ...BROKER_TLS, ...environment });
      return '';
    } catch (error) {
      return (error as Error).message;
    }
  };

  it('speaks TLS at every port, which doctor finds ready, and says until when', async () => {
    const ports = { API_PORT: '0', HANDHELD_PORT: '0', CONSOLE_PORT: '0', READERS_PORT: '0', MQTT_PORT: '0' };
    const environment = { ...BROKER_TLS, ...ports, DATABASE_URL: database.url };
    const program = run('services/standalone/main.ts', [], environment);
    await program.printed('Database');
    const urlOf = (what: string) => new RegExp(`${what} +(\\S+)`).exec(program.stdout())?.[1] ?? '';
    const urls = {
      API_PORT: urlOf('API').replace('/api/v1', ''),
      HANDHELD_PORT: urlOf('Handhelds'),
      CONSOLE_PORT: urlOf('Console'),
    };
    const answers = await Promise.all(Object.values(urls).map((url) => answerOf(`${url}/readyz`)));
    expect(answers.map(({ status }) => status)).to.deep.equal([200, 200, 200]);
    const { headers } = await answerOf(`${urls.CONSOLE_PORT}/`);
    expect(headers).to.have.property('strict-transport-security');
    expect(urlOf('MQTT')).to.match(/^mqtts:/);
    expect((await answerOf(urlOf('HTTP push').replace('<reader>', '1'))).status).to.equal(405);
    const listening = Object.entries(urls).map(([name, url]) => [name, new URL(url).port]);
    const { of } = await runDoctor({ ...environment, ...Object.fromEntries(listening) });
    expect(['API', 'handheld gateway', 'console'].map((name) => of(name)[0]?.status)).to.deep.equal([
      ...['ok', 'ok', 'ok'],
    ]);
    expect(of('certificate')[0]).to.include({ status: 'ok' });
    const { validToDate } = new X509Certificate(certificate('broker.crt'));
    const expiry = `tagtrail_tls_certificate_expiry_timestamp_seconds ${validToDate.getTime() / 1_000}`;
    const metrics = await Promise.all(Object.values(urls).map((url) => answerOf(`${url}/metrics`)));
    expect(metrics.filter(({ said }) => said.split('\n').includes(expiry))).to.not.have.length(0);
    program.child.kill('SIGINT');
    expect(await program.ended).to.equal(0);
  });

  it('does not start with files that do not belong together, or are none', () => {
    expect(faultOf({})).to.equal('');
    expect(faultOf({ TLS_KEY_FILE: '' })).to.include('set both, or none');
    expect(faultOf({ TLS_KEY_FILE: certificateFile('client.key') })).to.include('belong together');
    expect(faultOf({ TLS_CERT_FILE: '/nowhere' })).to.match(
      /^TLS_CERT_FILE cannot be used .*; set TLS_CERT_FILE/,
    );
  });

  it('does not start with a chain of which a part is missing', () => {
    const folder = mkdtempSync(join(tmpdir(), 'tagtrail-chain-'));
    const path = join(folder, 'chain.crt');
    writeFileSync(path, `${certificate('broker.crt')}${certificate('ca.crt').slice(0, 300)}`);
    expect(faultOf({ TLS_CERT_FILE: path })).to.match(/^TLS_CERT_FILE cannot be used .*; set TLS_CERT_FILE/);
    rmSync(folder, { recursive: true });
  });

  it('does not start with authorities of which one cannot be read', () => {
    const folder = mkdtempSync(join(tmpdir(), 'tagtrail-authorities-'));
    const path = join(folder, 'ca.crt');
    const [whole, other] = [certificate('ca.crt'), certificate('broker.crt')];
    const faultWith = (pem: string) => {
      writeFileSync(path, pem);
      return faultOf({ TLS_CLIENT_CA_FILE: path });
    };
    expect(faultWith(`Of readers\n${whole}\nOf others\n${other}`)).to.equal('');
    const unusable = /^TLS_CLIENT_CA_FILE cannot be used .*; set TLS_CLIENT_CA_FILE/;
    for (const rest of [
      other.slice(0, 300),
      other.slice(300),
      other.replace(/[A-Z]{2}/, '!!'),
      certificate('client.key'),
    ]) {
      expect(faultWith(`${whole}${rest}`), rest).to.match(unusable);
    }
    rmSync(folder, { recursive: true });
  });

  it('does not start with authorities of clients that nobody asks', () => {
    const authority = { TLS_CLIENT_CA_FILE: certificateFile('ca.crt') };
    expect(faultOf(authority)).to.equal('');
    expect(faultOf({ ...authority, TLS_CLIENT_CERTIFICATES: 'required' })).to.equal('');
    expect(faultOf({ TLS_CLIENT_CERTIFICATES: 'required' })).to.include('set TLS_CLIENT_CA_FILE');
    expect(faultOf({ ...authority, MQTT_URL: 'mqtt://127.0.0.1' })).to.include('the embedded broker');
    expect(faultOf({ ...authority, TLS_CERT_FILE: '', TLS_KEY_FILE: '' })).to.include('set TLS_CERT_FILE');
    expect(faultOf({ TLS_CLIENT_CA_FILE: certificateFile('ca.key') })).to.match(/^TLS_CLIENT_CA_FILE cannot/);
  });
});

async function answerOf(url: string) {
  const request = get(url, { ca: certificate('ca.crt'), agent: false });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  return { status: response.statusCode, headers: response.headers, said: await text(response) };
}
