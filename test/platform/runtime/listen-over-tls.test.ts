import { spawn } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { Agent, get } from 'node:https';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { connect as connectOverTls, type TLSSocket } from 'node:tls';
import { expect } from 'chai';
import { Lifecycle } from '../../../platform/runtime/lifecycle.ts';
import { DRAIN_MS, type Listening, listenOn } from '../../../platform/runtime/listen-on.ts';
import { startTls } from '../../../platform/runtime/start-tls.ts';
import { certificate, certificateFile } from '../../support/certificates.ts';
import { PROGRAM_ENVIRONMENT, useProgram } from '../../support/programs.ts';
import { recordedLog } from '../../support/recorded-log.ts';
import { until } from '../../support/subscribed-ingest.ts';

const LOCAL = { host: '127.0.0.1', port: 0, setting: 'API_PORT' };
const MOST = 3;
const ca = certificate('ca.crt');

describe('listening over TLS', () => {
  const { log, lines } = recordedLog();
  const lifecycle = new Lifecycle(log);
  const slow = Promise.withResolvers<() => void>();
  let folder: string;
  let listening: Listening;
  let port: number;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'tagtrail-tls-'));
    put('broker');
    const files = { TLS_CERT_FILE: join(folder, 'tls.crt'), TLS_KEY_FILE: join(folder, 'tls.key') };
    const tls = await startTls(files, { log, lifecycle, lookEvery: 20 });
    listening = await listenOn(
      ({ url }, response) => {
        const finish = () => response.end(`to ${url}`);
        url === '/slow' ? slow.resolve(finish) : finish();
      },
      LOCAL,
      { tls, mostConnections: MOST },
    );
    port = Number(new URL(listening.url).port);
  });

  after(async () => {
    await listening.close();
    await lifecycle.stop();
    rmSync(folder, { recursive: true });
  });

  function put(name: string): void {
    copyFileSync(certificateFile(`${name}.crt`), join(folder, 'tls.crt'));
    copyFileSync(certificateFile(`${name}.key`), join(folder, 'tls.key'));
  }

  async function ask(path: string, agent: Agent | false = false) {
    const request = get(`${listening.url}${path}`, { ca, agent });
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    const { fingerprint } = (response.socket as TLSSocket).getPeerCertificate();
    return { said: await text(response), fingerprint };
  }

  it('answers who trusts the authority, and nobody over plain HTTP', async () => {
    expect(listening.url).to.match(/^https:/);
    expect((await ask('/here')).said).to.equal('to /here');
    const refused = await once(get(`${listening.url}/here`, { agent: false }), 'response').catch(
      (error: Error) => error,
    );
    expect(refused).to.have.property('code', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE');
    const plain = await fetch(`http://127.0.0.1:${port}/here`).catch((error: Error) => error);
    expect(plain).to.have.property('message', 'fetch failed');
    const failed = () => lines.filter(({ msg }) => msg === 'TLS handshake failed');
    await until(() => failed().some(({ reason }) => reason === 'ERR_SSL_HTTP_REQUEST'));
  });

  it('speaks no version before 1.2', async () => {
    const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const;
    const [error] = await once(connectOverTls({ port, ca, ...old }), 'error');
    expect(error).to.have.property('code', 'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION');
  });

  it('keeps a few connections only whose handshake is not over, and the newest of them', async () => {
    const sockets = Array.from({ length: MOST + 1 }, () => connect(port, '127.0.0.1').on('error', () => {}));
    await Promise.race(sockets.map((socket) => once(socket.resume(), 'close')));
    expect((await ask('/still')).said).to.equal('to /still');
    for (const socket of sockets) {
      socket.destroy();
    }
  });

  it('answers who closes their side after the request', async () => {
    const socket = connectOverTls({ port, ca, socket: connect({ port, allowHalfOpen: true }) });
    socket.end('GET /last HTTP/1.1\r\nHost: here\r\n\r\n');
    expect(await text(socket)).to.match(/^HTTP\/1\.1 200[\s\S]*to \/last$/);
  });

  it('takes up a renewed certificate, and ends no connection for it', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1, ca });
    const first = await ask('/first', agent);
    const underWay = ask('/slow', agent);
    const finish = await slow.promise;
    // A certificate without its key, as while the two are being replaced.
    copyFileSync(certificateFile('renewed.crt'), join(folder, 'tls.crt'));
    const warnings = () => lines.filter(({ msg }) => msg.startsWith('TLS files cannot be reloaded'));
    await until(() => warnings().length > 0);
    expect((await ask('/early')).fingerprint).to.equal(first.fingerprint);
    put('renewed');
    await until(() => lines.some(({ msg }) => msg === 'TLS certificate reloaded'));
    const renewed = new X509Certificate(certificate('renewed.crt')).fingerprint;
    expect((await ask('/second')).fingerprint).to.equal(renewed);
    finish();
    expect(await underWay).to.deep.equal({ said: 'to /slow', fingerprint: first.fingerprint });
    expect((await ask('/third', agent)).fingerprint).to.equal(first.fingerprint);
    agent.destroy();
  });

  it('waits at a stop neither for a handshake nor for who never sends', async () => {
    const { log: quiet } = recordedLog();
    const files = {
      TLS_CERT_FILE: certificateFile('broker.crt'),
      TLS_KEY_FILE: certificateFile('broker.key'),
    };
    const other = await listenOn(() => {}, LOCAL, {
      tls: await startTls(files, { log: quiet, lifecycle }),
    });
    const there = Number(new URL(other.url).port);
    const mute = connect(there, '127.0.0.1');
    const silent = connectOverTls({ port: there, ca });
    await Promise.all([once(mute, 'connect'), once(silent, 'secureConnect')]);
    const ends = [mute, silent].map((socket) => once(socket.on('error', () => {}).resume(), 'close'));
    const began = performance.now();
    await other.close();
    expect(performance.now() - began).to.be.below(DRAIN_MS / 2);
    await Promise.all(ends);
  });

  describe("to OpenSSL's client", () => {
    useProgram('openssl');

    it('shows a certificate that it can verify', async () => {
      const child = spawn(
        'openssl',
        [
          's_client',
          '-connect',
          `127.0.0.1:${port}`,
          '-CAfile',
          certificateFile('ca.crt'),
          '-verify_return_error',
          '-quiet',
        ],
        { env: PROGRAM_ENVIRONMENT, stdio: ['pipe', 'pipe', 'ignore'] },
      );
      child.stdin.write('GET /openssl HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n');
      expect(await text(child.stdout)).to.include('to /openssl');
    });
  });
});
