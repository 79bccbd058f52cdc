import { expect } from 'chai';
import { type Device, LATER_MS, scanByWedge, typeByWedge, useBrowser } from '../../support/browser.ts';
import { useGateway } from '../../support/gateway.ts';
import { HandheldApp } from '../../support/handheld-app.ts';
import { holdStorage, letGo } from '../../support/held-storage.ts';
import { itByNight } from '../../support/random-sets.ts';

const VALUE = 'PAL-4711-000815';
const HEAD = 'PAL-4711-';
/** Another asset's tag. */
const TAIL = '000815';

/** The head by keys as text, the tail all at once, as keyboards on the screen put in words; and Enter. */
const asText = (inputType: string) => `(() => {
  const field = document.activeElement;
  const key = (key) => field.dispatchEvent(
    new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
  const put = (data, inputType) => {
    key('Unidentified');
    field.dispatchEvent(new InputEvent('beforeinput', { data, inputType, bubbles: true }));
    field.value += data;
  };
  put('${HEAD}', '${inputType}');
  for (const data of '${TAIL}') put(data, 'insertText');
  key('Enter');
})()`;

/** A letter with an accent that the keyboard has no key for, by Alt and its number, and then a value. */
const BY_NUMBER = `(() => {
  const key = (key, more = {}) => document.body.dispatchEvent(
    new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...more }));
  for (const digit of '0201') key(digit, { code: 'Numpad' + digit, altKey: true });
  for (const each of '${TAIL}') key(each);
  key('Enter');
})()`;

describe('a part of a scan', () => {
  const gateway = useGateway();
  const browser = useBrowser();
  let device: Device;
  let app: HandheldApp;

  before(async () => {
    await gateway.site.location('DOCK-1');
    await gateway.site.asset('WHOLE', VALUE, 'barcode');
    await gateway.site.asset('BEHIND-THE-TAIL', TAIL, 'barcode');
  });

  beforeEach(async () => {
    device = await browser.device();
    app = await HandheldApp.signedIn(device, gateway.url, gateway.token);
    await app.choosePlace('DOCK-1');
  });

  afterEach('moves nothing', async () => {
    const moved = await gateway.database.rows(
      `select from positions join assets on assets.org_id = positions.org_id and assets.id = asset_id
        where external_key = 'BEHIND-THE-TAIL'`,
    );
    expect(moved).to.deep.equal([]);
  });

  itByNight('is told when the page began to hear in the middle of it', async () => {
    await app.reload();
    await app.shows('You are at');
    // Typed while the page was still loading, which the browser tells when it has loaded.
    await typeByWedge(app.page, TAIL, { delay: -60_000 });
    await app.shows('The app was in the background for part of it.');
  });

  it('is told of a scan that was torn for seconds, and the label is taken when it is scanned again', async () => {
    await app.page.locator('body').evaluate('document.activeElement.blur()');
    await typeByWedge(app.page, HEAD, { ends: null });
    await app.shows('The scan has no end.');
    await scanByWedge(app.page, TAIL);
    await app.shows(`Heard: “${HEAD}” … “${TAIL}”. Nothing was sent.`);
    await app.scan(VALUE);
    await app.waits(0);
  });

  it('does not stay in the field that gets the focus in the middle of it', async () => {
    const { page } = app;
    await app.press('Type');
    const field = page.getByLabel('Printed value');
    await page.getByRole('button', { name: 'Close' }).focus();
    const at = Date.now();
    await typeByWedge(page, HEAD, { ends: null });
    await field.focus();
    await typeByWedge(page, TAIL, { delay: at + 50 - Date.now() });
    await page.locator(`[data-latest="${VALUE}"]`).waitFor();
    expect(await field.inputValue()).to.equal('');
  });

  itByNight('is told when the rest came as a word of a keyboard on the screen', async () => {
    const { page } = app;
    await app.press('Type');
    await page.locator('dialog input:focus').waitFor();
    for (const inputType of ['insertText', 'insertCompositionText']) {
      await page.evaluate(asText(inputType));
      await app.shows('Not a plain value');
      expect(await page.getByLabel('Printed value').inputValue()).to.equal('');
      await app.press('Close');
      await app.scan(VALUE);
      await app.press('Type');
    }
  });

  it('is told of a scanner that types a character by its number', async () => {
    await app.page.evaluate(BY_NUMBER);
    await app.shows('Not a plain value');
  });

  it('is told of a scanner that types too slowly', async () => {
    const { page } = app;
    await page.locator('body').evaluate('document.activeElement.blur()');
    const at = Date.now() + LATER_MS;
    for (const [index, key] of [...TAIL].entries()) {
      await typeByWedge(page, key, { ends: null, delay: at + index * 300 - Date.now() });
    }
    await typeByWedge(page, '', { delay: at + TAIL.length * 300 - Date.now() });
    await app.shows('Typed too slowly');
  });

  itByNight('is no reason to press a button when the scanner is late to let go of the last key', async () => {
    await app.goTo('Sweep');
    await app.press('Sweep DOCK-1');
    await app.page.getByRole('button', { name: 'Finish' }).focus();
    await typeByWedge(app.page, VALUE, { held: 3 });
    await app.page.locator(`[data-latest="${VALUE}"]`).waitFor();
    await scanByWedge(app.page, `${VALUE}-2`);
    await app.page.locator(`[data-latest="${VALUE}-2"]`).waitFor();
    expect(await app.page.getByRole('button', { name: 'Finish' }).count()).to.equal(1);
  });

  it('and the whole are kept that are scanned while the app still opens', async () => {
    const { page } = app;
    const tab = await HandheldApp.open(device, gateway.url);
    await tab.shows('You are at');
    await holdStorage(tab.page, ['kept']);
    await page.reload();
    await typeByWedge(page, VALUE, { delay: LATER_MS });
    await typeByWedge(page, VALUE, { delay: 2 * LATER_MS, pause: { before: 9, lasts: 400 } });
    expect(await page.locator('[data-waiting]').count()).to.equal(0);
    await letGo(tab.page);
    await page.locator('[data-waiting]').waitFor();
    await app.shows(`Heard: “${HEAD}” … “${TAIL}”`);
    await app.goTo('History');
    await page.locator(`[data-scan="${VALUE}"]`).waitFor();
  });
});
