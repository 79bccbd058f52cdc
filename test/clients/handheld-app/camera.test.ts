import { type Device, until, useBrowser } from '../../support/browser.ts';
import { useGateway } from '../../support/gateway.ts';
import { HandheldApp } from '../../support/handheld-app.ts';

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

describe('the camera of the handheld app', () => {
  const gateway = useGateway();
  const browser = useBrowser();
  let device: Device;

  before(async () => {
    await gateway.site.location('DOCK-1');
    await gateway.site.asset('CARTON-1', '4006381333931', 'barcode');
  });

  beforeEach(async () => {
    device = await browser.device();
  });

  it('takes a code once for as long as it is in sight', async () => {
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

  it('says that a browser cannot read codes, and what to do instead', async () => {
    const app = await HandheldApp.signedIn(device, gateway.url, gateway.token);
    await app.press('Camera');
    await app.shows('This browser cannot read codes with the camera');
    await app.shows('use a scanner that types, or type the value in');
  });

  it('takes a token', async () => {
    await device.context.addInitScript(DETECTOR.replace('4006381333931', gateway.token));
    const app = await HandheldApp.open(device, gateway.url);
    await app.press('Scan the token');
    await app.shows('All sent');
  });
});
