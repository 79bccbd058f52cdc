import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { useGateway } from '../support/gateway.ts';

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
    writeFileSync(join(app, 'icons/icon 192.png'), Buffer.from([0x89, 0x50, 0x4e, 0x47, 0xff, 0x00]));
    writeFileSync(join(folder, 'secret.txt'), 'secret');
    symlinkSync(join(folder, 'secret.txt'), join(app, 'linked.txt'));
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
        "script-src 'self'",
        "style-src 'self'",
        "connect-src 'self'",
        "img-src 'self' blob: data:",
        "manifest-src 'self'",
        "worker-src 'self'",
        'media-src blob:',
        "frame-ancestors 'none'",
      ]);
      expect(policy?.join()).to.not.include('unsafe');
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
    expect((await fetch(`${without}/readyz`)).status).to.equal(200);
  });

  /** Without what `fetch` does to paths and conditions. */
  async function getAsIs(
    path: string,
    headers: Record<string, string> = {},
  ): Promise<{ status: number | undefined; body: string }> {
    const { hostname, port } = new URL(url);
    const asked = request({ hostname, port, path, headers });
    const answered = new Promise<{ status: number | undefined; body: string }>((resolve, reject) => {
      asked.on('response', async (response) =>
        resolve({ status: response.statusCode, body: await text(response) }),
      );
      asked.on('error', reject);
    });
    asked.end();
    return answered;
  }
});
