import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import { compressFolder } from '../../clients/ui/build/compress-folder.ts';
import { useGateway } from '../support/gateway.ts';
import { untilReady } from '../support/readiness.ts';

const LARGE = '/assets/large-Ab12Cd34.js';
const LARGE_TEXT = 'export const large = 1;\n'.repeat(200);

describe('the files of the web app', () => {
  const gateway = useGateway();
  const folder = mkdtempSync(join(tmpdir(), 'tagtrail-app-'));
  let url: string;
  before(async () => {
    const app = join(folder, 'dist');
    mkdirSync(join(app, 'assets'), { recursive: true });
    mkdirSync(join(app, 'icons'));
    writeFileSync(join(app, 'index.html'), '<!doctype html><title>tagtrail</title>');
    writeFileSync(join(app, 'sw.js'), 'self.skipWaiting();');
    writeFileSync(join(app, 'manifest.webmanifest'), '{}');
    writeFileSync(join(app, 'assets/index-Bx3kP9dQ.js'), 'export {};');
    writeFileSync(join(app, 'assets/index-C0ffee42.css'), 'body{}');
    writeFileSync(join(app, 'assets/plain.js'), 'export {};');
    writeFileSync(join(app, LARGE), LARGE_TEXT);
    writeFileSync(join(app, 'icons/icon 192.png'), Buffer.from([0x89, 0x50, 0x4e, 0x47, 0xff, 0x00]));
    writeFileSync(join(folder, 'secret.txt'), 'secret');
    symlinkSync(join(folder, 'secret.txt'), join(app, 'linked.txt'));
    await compressFolder(app);
    url = await gateway.start({}, { appFolder: app });
  });
  after(() => rmSync(folder, { recursive: true, force: true }));
  const get = (path: string, init: RequestInit = {}) => fetch(url + path, init);

  it('are served with their media types, index.html at /', async () => {
    for (const [path, type] of [
      ['/', 'text/html; charset=utf-8'],
      ['/index.html', 'text/html; charset=utf-8'],
      ['/sw.js', 'text/javascript; charset=utf-8'],
      ['/manifest.webmanifest', 'application/manifest+json'],
      ['/assets/index-Bx3kP9dQ.js', 'text/javascript; charset=utf-8'],
      ['/assets/index-C0ffee42.css', 'text/css; charset=utf-8'],
      ['/icons/icon%20192.png', 'image/png'],
    ]) {
      const response = await get(path ?? '');
      expect(response.status, path).to.equal(200);
      expect(response.headers.get('content-type'), path).to.equal(type);
    }
    expect(await (await get('/')).text()).to.equal('<!doctype html><title>tagtrail</title>');
    const icon = Buffer.from(await (await get('/icons/icon%20192.png')).arrayBuffer());
    expect([...icon]).to.deep.equal([0x89, 0x50, 0x4e, 0x47, 0xff, 0x00]);
  });

  it('run nothing but themselves, and may ask for the camera', async () => {
    for (const path of ['/', '/sw.js', '/assets/index-Bx3kP9dQ.js']) {
      const { headers } = await get(path);
      const policy = headers.get('content-security-policy')?.split('; ');
      expect(policy).to.include.members([
        "default-src 'none'",
        "script-src 'self' 'wasm-unsafe-eval'",
        "style-src 'self'",
        "connect-src 'self'",
        "img-src 'self' blob: data:",
        "manifest-src 'self'",
        "worker-src 'self'",
        'media-src blob:',
        "frame-ancestors 'none'",
      ]);
      expect(policy?.join()).to.not.match(/'unsafe/);
      expect(headers.get('permissions-policy')).to.match(/\bcamera=\(self\)/);
      expect(headers.get('x-content-type-options')).to.equal('nosniff');
    }
  });

  it('are kept for good where the name changes with the content, and asked for anew elsewhere', async () => {
    const cachingOf = async (path: string) => (await get(path)).headers.get('cache-control');
    for (const path of ['/assets/index-Bx3kP9dQ.js', '/assets/index-C0ffee42.css']) {
      expect(await cachingOf(path)).to.equal('public, max-age=31536000, immutable');
    }
    for (const path of ['/', '/index.html', '/sw.js', '/manifest.webmanifest', '/assets/plain.js']) {
      expect(await cachingOf(path), path).to.equal('no-cache');
    }
  });

  it('are not sent again to who has them', async () => {
    const etag = (await get('/')).headers.get('etag') ?? '';
    expect(await getAsIs('/', { 'If-None-Match': etag })).to.deep.equal({ status: 304, body: '' });
    expect(await getAsIs('/', { 'If-None-Match': '"other"' })).to.include({ status: 200 });
  });

  it('are sent compressed to those who take that, by Brotli where they can', async () => {
    const encodings: [string | null, string | undefined, (bytes: Buffer) => Buffer][] = [
      ['gzip, deflate, br, zstd', 'br', brotliDecompressSync],
      ['br;q=0.1, gzip', 'br', brotliDecompressSync],
      ['*', 'br', brotliDecompressSync],
      ['gzip, deflate', 'gzip', gunzipSync],
      ['gzip, br;q=0', 'gzip', gunzipSync],
      ['identity', undefined, (bytes) => bytes],
      ['br;q=0, gzip;q=0', undefined, (bytes) => bytes],
      ['nonsense;q=9', undefined, (bytes) => bytes],
      [null, undefined, (bytes) => bytes],
    ];
    for (const [accepted, encoding, decompress] of encodings) {
      const { status, headers, bytes } = await ask(
        LARGE,
        accepted === null ? {} : { 'Accept-Encoding': accepted },
      );
      expect([status, headers['content-encoding']], `${accepted}`).to.deep.equal([200, encoding]);
      expect(decompress(bytes).toString()).to.equal(LARGE_TEXT);
      expect(headers['content-length']).to.equal(String(bytes.length));
      expect(headers).to.include({
        vary: 'Accept-Encoding',
        'content-type': 'text/javascript; charset=utf-8',
      });
    }
  });

  it('have a tag for each encoding, by which they are not sent again', async () => {
    const tags = new Set<string>();
    for (const accepted of ['br', 'gzip', 'identity']) {
      const { headers } = await ask(LARGE, { 'Accept-Encoding': accepted });
      const etag = headers.etag ?? '';
      tags.add(etag);
      const again = await ask(LARGE, { 'Accept-Encoding': accepted, 'If-None-Match': etag });
      expect([again.status, again.bytes.length, again.headers.etag]).to.deep.equal([304, 0, etag]);
      expect(again.headers.vary).to.equal('Accept-Encoding');
      const head = await ask(LARGE, { 'Accept-Encoding': accepted }, 'HEAD');
      expect(head.bytes).to.have.length(0);
      for (const name of ['etag', 'content-length', 'content-encoding', 'vary'] as const) {
        expect(head.headers[name], name).to.equal(headers[name]);
      }
    }
    expect(tags).to.have.property('size', 3);
  });

  it('are whole to who asks for a part, compressed or not', async () => {
    for (const accepted of ['br', 'identity']) {
      const whole = await ask(LARGE, { 'Accept-Encoding': accepted });
      const part = await ask(LARGE, { 'Accept-Encoding': accepted, Range: 'bytes=0-9' });
      expect([part.status, part.headers['accept-ranges']]).to.deep.equal([200, undefined]);
      expect(part.bytes.equals(whole.bytes)).to.equal(true);
    }
  });

  it('have no compressed copy where nothing is saved, and copies have no address', async () => {
    for (const path of ['/', '/assets/index-C0ffee42.css', '/icons/icon%20192.png']) {
      const { headers } = await ask(path, { 'Accept-Encoding': 'br, gzip' });
      expect([headers['content-encoding'], headers.vary], path).to.deep.equal([undefined, undefined]);
    }
    for (const path of [`${LARGE}.br`, `${LARGE}.gz`]) {
      expect((await ask(path)).status, path).to.equal(404);
    }
  });

  it('are all there is: no way leads out of the folder', async () => {
    for (const path of [
      '/../secret.txt',
      '/assets/../../secret.txt',
      '/..%2fsecret.txt',
      '/%2e%2e/secret.txt',
      '/assets/..%5c..%5csecret.txt',
      '//secret.txt',
      '/linked.txt',
      '/assets',
      '/assets/',
      '/assets/index.html',
      '/nothing.js',
      '/index.html%00.js',
    ]) {
      const { status, body } = await getAsIs(path);
      expect(status, path).to.be.oneOf([400, 404]);
      expect(JSON.parse(body), path).to.have.nested.property('error.status', status);
    }
  });

  it('are only read', async () => {
    const posted = await get('/', { method: 'POST' });
    expect([posted.status, posted.headers.get('allow')]).to.deep.equal([405, 'GET, HEAD']);
    const head = await get('/index.html', { method: 'HEAD' });
    expect([head.status, await head.text()]).to.deep.equal([200, '']);
  });

  it('are not there where no app was built, and the rest is', async () => {
    const without = await gateway.start({}, { appFolder: join(folder, 'none') });
    expect((await fetch(`${without}/`)).status).to.equal(404);
    await untilReady(without);
  });

  async function getAsIs(
    path: string,
    headers: Record<string, string> = {},
  ): Promise<{ status: number | undefined; body: string }> {
    const { status, bytes } = await ask(path, headers);
    return { status, body: bytes.toString() };
  }

  /** Without what `fetch` does to paths, conditions and encodings. */
  async function ask(
    path: string,
    headers: Record<string, string> = {},
    method = 'GET',
  ): Promise<{ status: number | undefined; headers: IncomingHttpHeaders; bytes: Buffer }> {
    const { hostname, port } = new URL(url);
    const asked = request({ hostname, port, path, method, headers });
    const answered = new Promise<IncomingMessage>((resolve, reject) => {
      asked.on('response', resolve);
      asked.on('error', reject);
    });
    asked.end();
    const response = await answered;
    return { status: response.statusCode, headers: response.headers, bytes: await buffer(response) };
  }
});
