import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { pino } from 'pino';
import { APP_FOLDER } from '../../../clients/handheld-app/build/build-app.ts';
import { Lifecycle } from '../../../platform/runtime/lifecycle.ts';
import { startGateway } from '../../../services/handheld-gateway/start.ts';
import { useBrowser } from '../../support/browser.ts';
import { gatewayConfig, useGateway } from '../../support/gateway.ts';
import { HandheldApp } from '../../support/handheld-app.ts';

describe('a new version of the handheld app', () => {
  const gateway = useGateway();
  const browser = useBrowser();
  const log = pino({ level: 'silent' });
  let folder: string;
  let lifecycle = new Lifecycle(log);

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'tagtrail-app-'));
    cpSync(APP_FOLDER, folder, { recursive: true });
  });

  after(async () => {
    await lifecycle.stop();
    rmSync(folder, { recursive: true });
  });

  it('is taken when the user says so, with all that is queued kept', async () => {
    const url = await start(0);
    const device = await browser.device();
    const app = await HandheldApp.signedIn(device, url, gateway.token);
    await app.isInstalled();
    await device.context.setOffline(true);
    await app.scan('SCANNED-BEFORE-THE-UPDATE');
    await app.waits(1);

    // The next version is another page, under a worker of another version.
    build('index.html', '<!doctype html><title>next</title><h1>The next version</h1>');
    build('worker.js', workerOf('next'));
    await lifecycle.stop();
    lifecycle = new Lifecycle(log);
    await start(Number(new URL(url).port));
    await device.context.setOffline(false);
    await app.waits(0);
    await app.page.evaluate('navigator.serviceWorker.ready.then((registration) => registration.update())');
    await app.shows('A new version is ready.');
    expect(await app.page.title()).to.equal('tagtrail');
    await app.press('Update now');
    await app.page.getByText('The next version').waitFor();
  });

  /** Without the compressed copies that the file before it had. */
  function build(name: string, content: string): void {
    writeFileSync(join(folder, name), content);
    rmSync(join(folder, `${name}.br`));
    rmSync(join(folder, `${name}.gz`));
  }

  async function start(port: number): Promise<string> {
    const config = { ...gatewayConfig(gateway.database.url), HANDHELD_PORT: port };
    return (await startGateway(config, log, lifecycle, { appFolder: folder })).url;
  }
});

function workerOf(version: string): string {
  return `
    self.addEventListener('install', (event) =>
      event.waitUntil(caches.open('${version}').then((cache) => cache.add(new Request('/', { cache: 'reload' })))));
    self.addEventListener('message', () => self.skipWaiting());
    self.addEventListener('fetch', (event) =>
      event.respondWith(caches.open('${version}').then((cache) => cache.match(event.request))));
  `;
}
