import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { prepareZXingModule, writeBarcode } from 'zxing-wasm/writer';
import { type Device, screenshot, until, useBrowser } from '../../support/browser.ts';
import { useGateway } from '../../support/gateway.ts';
import { HandheldApp } from '../../support/handheld-app.ts';
import { itByNight } from '../../support/random-sets.ts';

/** What a phone's browser has and this one has not: here it sees one code in every picture. */
const DETECTOR = `globalThis.BarcodeDetector = class {
  static getSupportedFormats = async () => ['ean_13'];
  static pictures = 0;
  detect = async () => {
    BarcodeDetector.pictures += 1;
    return [{ rawValue: '4006381333931' }];
  };
}`;

/** This browser allows its make-believe camera to anybody. */
const DENIED = `globalThis.MediaDevices && (MediaDevices.prototype.getUserMedia = () =>
  Promise.reject(new DOMException('Permission denied', 'NotAllowedError')))`;

/** As of a phone's camera; this browser's make-believe one has neither. */
const TORCH = `globalThis.applied = [];
MediaStreamTrack.prototype.getCapabilities = () => ({ torch: true, zoom: { min: 1, max: 4, step: 0.5 } });
MediaStreamTrack.prototype.applyConstraints = async ({ advanced }) => { applied.push(...advanced); };`;

/** A camera in front of which a label is held. */
async function cameraThatSees(
  text: string,
  how: { format: 'Code128' | 'QRCode'; options?: string },
): Promise<string> {
  const { image } = await writeBarcode(text, { ...how, scale: 3 });
  const label = Buffer.from((await image?.arrayBuffer()) ?? new ArrayBuffer()).toString('base64');
  return `globalThis.MediaDevices && (MediaDevices.prototype.getUserMedia = async () => {
    const label = new Image();
    label.src = 'data:image/png;base64,${label}';
    await label.decode();
    const canvas = document.createElement('canvas');
    canvas.width = 1280;
    canvas.height = 720;
    const context = canvas.getContext('2d');
    setInterval(() => {
      context.fillStyle = '#fff';
      context.fillRect(0, 0, 1280, 720);
      context.drawImage(label, 100, 200);
    }, 50);
    return canvas.captureStream(10);
  })`;
}

describe('the camera of the handheld app', () => {
  const gateway = useGateway();
  const browser = useBrowser();
  let device: Device;

  before(async () => {
    const wasm = readFileSync(fileURLToPath(import.meta.resolve('zxing-wasm/writer/zxing_writer.wasm')));
    prepareZXingModule({ overrides: { wasmBinary: wasm.buffer as ArrayBuffer } });
    await gateway.site.location('DOCK-1');
    await gateway.site.asset('CARTON-1', '4006381333931', 'barcode');
  });

  beforeEach(async () => {
    device = await browser.device();
  });

  itByNight('takes a code once for as long as it is in sight', async () => {
    await device.context.addInitScript(DETECTOR);
    const app = await HandheldApp.signedIn(device, gateway.url, gateway.token);
    await app.choosePlace('DOCK-1');
    await app.press('Camera');
    await app.page.getByRole('dialog').getByText('Moved here').waitFor();
    // Several pictures later it is still that one scan.
    await until(app.page, 'BarcodeDetector.pictures > 5');
    await app.press('Close');
    await app.goTo('History');
    await app.page.locator('.row').first().waitFor();
    await app.page.locator('.row').nth(1).waitFor({ state: 'detached' });
  });

  it('explains how to allow it when it is not allowed', async () => {
    await device.context.addInitScript(`${DETECTOR};${DENIED}`);
    const app = await HandheldApp.signedIn(device, gateway.url, gateway.token);
    await app.press('Camera');
    await app.shows('The camera is not allowed');
    await app.shows('allow the camera for this page, and try again');
  });

  it('reads codes in browsers that cannot, GS1’s with separators too, by a decoder of our own origin', async () => {
    const page = await fetch(gateway.url);
    expect(page.headers.get('content-security-policy')).to.include("script-src 'self' 'wasm-unsafe-eval';");
    await gateway.site.asset('CARTON-2', '010950600013435221ABC10XY', 'barcode');
    await device.context.addInitScript(
      await cameraThatSees('(01)09506000134352(21)ABC(10)XY', { format: 'Code128', options: 'gs1' }),
    );
    const origins = new Set<string>();
    const files: string[] = [];
    device.context.on('request', (request) => {
      const url = new URL(request.url());
      origins.add(url.origin);
      files.push(url.pathname);
    });
    const app = await HandheldApp.signedIn(device, gateway.url, gateway.token);
    await app.isInstalled();
    expect(files.filter((file) => /wasm|decoder/.test(file))).to.deep.equal([]);
    await app.choosePlace('DOCK-1');
    await app.press('Camera');
    await app.page.getByRole('dialog').getByText('CARTON-2').waitFor();
    expect([...origins].filter((origin) => origin !== gateway.url && origin !== 'null')).to.deep.equal([]);
    expect(new Set(files.filter((file) => file.endsWith('.wasm')))).to.have.property('size', 1);
    // Once it was loaded it is there without a network.
    await app.press('Close');
    await device.context.setOffline(true);
    await app.page.reload();
    await app.shows('Offline');
    await app.press('Camera');
    await app.page.getByRole('dialog').getByText('CARTON-2').waitFor();
  });

  it('says so when the decoder cannot be fetched', async () => {
    await device.context.addInitScript(await cameraThatSees('X', { format: 'QRCode' }));
    const app = await HandheldApp.signedIn(device, gateway.url, gateway.token);
    await app.isInstalled();
    await device.context.setOffline(true);
    await app.shows('Offline');
    await app.press('Camera');
    await app.shows('The code reader is not on this device yet');
  });

  itByNight('has a torch and a zoom where the camera has them', async () => {
    await device.context.addInitScript(`${DETECTOR};${TORCH}`);
    const app = await HandheldApp.signedIn(device, gateway.url, gateway.token);
    await app.press('Camera');
    await app.press('Torch');
    await app.page.getByRole('slider', { name: 'Zoom' }).fill('3');
    await until(app.page, `JSON.stringify(globalThis.applied) === '[{"torch":true},{"zoom":3}]'`);
    await screenshot(app.page, 'light/camera-torch');
  });

  it('takes a token', async () => {
    await device.context.addInitScript(DETECTOR.replace('4006381333931', gateway.token));
    const app = await HandheldApp.open(device, gateway.url);
    await app.press('Scan the token');
    await app.shows('All sent');
  });
});
