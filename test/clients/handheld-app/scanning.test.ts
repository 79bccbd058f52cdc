import { expect } from 'chai';
import {
  type Device,
  LATER_MS,
  SETTLED_MS,
  scanByWedge,
  typeByWedge,
  useBrowser,
} from '../../support/browser.ts';
import { useGateway } from '../../support/gateway.ts';
import { HandheldApp } from '../../support/handheld-app.ts';
import { itByNight } from '../../support/random-sets.ts';

const EPC = 'E28011600000020912340001';
const CARTON = '4006381333931';

/** Values as scanned, the assets, and the tags that these have. */
const OTHERWISE_THAN_GUESSED = [
  ['0193e0d1a3da7b21aa83604efbc7c17e', 'HEX-LABEL', '0193e0d1a3da7b21aa83604efbc7c17e', 'barcode'],
  ['A1B2C3D4E5F60718', 'SHORT-HEX-LABEL', 'A1B2C3D4E5F60718', 'barcode'],
  ['0108032825498580211234510ABC', 'ELEMENT-STRING', '0108032825498580211234510ABC', 'barcode'],
  ['AC233F000A01', 'BEACON', 'AC:23:3F:00:0A:01', 'ble'],
] as const;

/** All that the app keeps on the device but for who is signed in, as text. */
const ALL_KEPT = `new Promise((resolve, reject) => {
  const opening = indexedDB.open('tagtrail');
  opening.onsuccess = async () => {
    const names = [...opening.result.objectStoreNames];
    const transaction = opening.result.transaction(names);
    const all = await Promise.all(names.map((name) => new Promise((resolve) => {
      transaction.objectStore(name).getAll().onsuccess = ({ target }) => resolve(target.result);
    })));
    opening.result.close();
    resolve(JSON.stringify(all));
  };
  opening.onerror = () => reject(opening.error);
})`;

describe('scanning with the handheld app', () => {
  const gateway = useGateway();
  const browser = useBrowser();
  let device: Device;
  let app: HandheldApp;

  before(async () => {
    const { site } = gateway;
    const hall = await site.location('HALL');
    const dock = await site.location('DOCK-1', hall);
    await site.tag({ locationId: dock }, 'LOC-DOCK-1', 'barcode');
    await site.location('DOCK-2', hall);
    await site.asset('PALLET-1', EPC);
    await site.asset('CARTON-1', CARTON, 'barcode');
    for (const [, name, value, kind] of OTHERWISE_THAN_GUESSED) {
      await site.asset(name, value, kind);
    }
  });

  beforeEach(async () => {
    device = await browser.device();
    app = await HandheldApp.signedIn(device, gateway.url, gateway.token);
  });

  it('walks: a place by its tag, an asset there, the next place from the tree, the asset there', async () => {
    await app.scan('LOC-DOCK-1');
    await app.tells('place');
    await app.shows('DOCK-1 · in HALL');
    await app.scan(EPC);
    await app.tells('moved');
    await app.shows('Seen for the first time, at DOCK-1.');
    await app.choosePlace('DOCK-2');
    await app.scan(EPC);
    await app.shows('From DOCK-1 to DOCK-2.');
    await app.waits(0);
    expect(await whereIs('PALLET-1')).to.equal('DOCK-2');
  });

  it('takes an EPC for an RFID tag and other values for barcodes, unless it is told otherwise', async () => {
    await app.choosePlace('DOCK-1');
    await app.scan(CARTON);
    await app.tells('moved');
    await app.page.getByRole('radio', { name: 'RFID' }).check();
    await app.scan(CARTON);
    await app.tells('problem');
    await app.shows('Unknown tag');
    const unknown = await gateway.database.rows(
      'select tag_type, value from unknown_tags where org_id = $1 and value = $2',
      [gateway.site.orgId, CARTON],
    );
    expect(unknown).to.deep.equal([{ tag_type: 'rfid', value: CARTON }]);
  });

  it('finds an asset whose tag is of another kind than it guessed, also without a network', async () => {
    await app.choosePlace('DOCK-1');
    for (const [value, name] of OTHERWISE_THAN_GUESSED) {
      await app.scan(value);
      await app.page.locator(`[data-latest="${value}"]`).waitFor();
      await app.shows(name);
      await app.tells('moved');
      await app.shows('Seen for the first time, at DOCK-1.');
    }
    await app.waits(0);
    await device.context.setOffline(true);
    for (const [value, name] of OTHERWISE_THAN_GUESSED) {
      await app.scan(value);
      await app.page.locator(`[data-latest="${value}"]`).waitFor();
      await app.tells('queued');
      await app.shows(name);
    }
    await app.waits(OTHERWISE_THAN_GUESSED.length);
  });

  it('hears the trigger wherever the focus is, and leaves alone what a person types', async () => {
    const { page } = app;
    await app.goTo('Settings');
    await page.getByRole('button', { name: 'Sign out' }).focus();
    await app.scan('TRIGGER ON A BUTTON');
    expect(await page.getByRole('button', { name: 'Yes, sign out' }).count()).to.equal(0);

    await page.locator('.place-bar').click();
    const search = page.getByLabel('Search places');
    // A person: a key now and then.
    await search.pressSequentially('DOCK-', { delay: 90 });
    await typeByWedge(page, 'TRIGGER-ON-A-FIELD', { ends: ['Tab'], delay: LATER_MS });
    await app.page.locator('[data-latest="TRIGGER-ON-A-FIELD"]').waitFor();
    await page.locator('.place-bar').click();
    await search.pressSequentially('DOCK-2', { delay: 90 });
    await search.press('Enter');
    expect(await search.inputValue()).to.equal('DOCK-2');
    expect(await page.getByRole('button', { name: 'DOCK-2' }).count()).to.equal(1);
  });

  itByNight('takes out of a field what the scanner typed into it', async () => {
    await app.press('Type');
    const field = app.page.getByLabel('Printed value');
    await field.pressSequentially('half a val', { delay: 90 });
    await typeByWedge(app.page, EPC, { delay: LATER_MS });
    await app.page.locator(`[data-latest="${EPC}"]`).waitFor();
    expect(await field.inputValue()).to.equal('half a val');
  });

  it('takes GS1 codes whose separators the scanner types', async () => {
    await gateway.site.asset('GS1', '010950600013435221ABC10XY', 'barcode');
    await app.choosePlace('DOCK-1');
    await scanByWedge(app.page, '010950600013435221ABC\u001d10XY');
    await app.page.locator('[data-latest="010950600013435221ABC10XY"]').waitFor();
    await gateway.site.asset('BY-NUMBER', '(01)09506000134352(21)7', 'barcode');
    await scanByWedge(app.page, '0109506000134352217\u001d10XY');
    await app.page.locator('[data-latest="010950600013435221710XY"]', { hasText: 'BY-NUMBER' }).waitFor();
  });

  it('takes no part of what has another key in it, and says so wherever it is', async () => {
    const { page } = app;
    await app.choosePlace('DOCK-1');
    await app.goTo('Settings');
    await app.shows('Colours');
    await scanByWedge(page, `10LOT77\u001e${CARTON}`);
    await app.shows('Not a plain value');
    await app.goTo('History');
    await page.locator('[data-broken]', { hasText: 'Not a plain value · not sent' }).waitFor();
    expect(await page.locator('[data-scan]').count()).to.equal(0);
  });

  it('moves nothing by the tail of a scan in which the scanner paused, says so, and keeps both parts', async () => {
    const { page } = app;
    await gateway.site.asset('BEHIND-THE-TAIL', '000815', 'barcode');
    await HandheldApp.feel(device);
    await app.reload();
    await app.choosePlace('DOCK-1');
    const value = 'PAL-4711-000815';
    await typeByWedge(page, value, { pause: { before: 9, lasts: 400 } });
    await app.shows('Broken: scan again');
    await app.shows('Heard: “PAL-4711-” … “000815”. Nothing was sent.');
    expect((await app.felt()).at(-1)).to.equal('120 80 120');
    await app.reload();
    await app.goTo('History');
    await page.locator('[data-broken]', { hasText: '“PAL-4711-” … “000815”' }).waitFor();
    // Scanned again, it is taken; and nothing went out in between.
    await app.scan(value);
    await app.waits(0);
    expect(await whereIs('BEHIND-THE-TAIL')).to.equal(undefined);
    const values = await gateway.database.rows<{ value: string }>(
      `select value from unknown_tags where value like '%000815'`,
    );
    expect(values).to.deep.equal([{ value }]);
  });

  itByNight('learns how long its scanner pauses, keeps that, and does as the settings say', async () => {
    const { page } = app;
    await app.choosePlace('DOCK-1');
    let scans = 0;
    const paused = (value: string) => {
      scans += 1;
      return typeByWedge(page, value, { pause: { before: 5, lasts: 200 }, delay: scans * LATER_MS });
    };
    await paused('PAUSED-1');
    await app.shows('Broken: scan again');
    await paused('PAUSED-2');
    await page.locator('[data-latest="PAUSED-2"]').waitFor();
    await app.reload();
    await app.shows('DOCK-1');
    await paused('PAUSED-3');
    await page.locator('[data-latest="PAUSED-3"]').waitFor();
    await app.goTo('Settings');
    await page.getByRole('radio', { name: 'Short' }).check();
    await paused('PAUSED-4');
    await app.shows('Broken: scan again');
  });

  itByNight(
    'neither sends, keeps nor shows a token that is scanned, typed or broken while somebody is signed in',
    async () => {
      const { page } = app;
      const secret = 'aB3-_'.repeat(8).concat('xyz');
      const token = `th_4711_${secret}`;
      const tailInCapitals = 'KR7XQ2VLM9ZPT4WYC8NDHJ';
      await app.choosePlace('DOCK-1');
      await scanByWedge(page, token);
      await app.shows('That is a token, not a tag');
      await app.type(`tt_01KQSB3M8R0E5T9V2W4X6Y8Z1A_${secret}`);
      for (const told of [
        token.replaceAll(/.{4}/g, '$& '),
        `https://example.com/?t=${token.replaceAll('_', '%5F')}`,
      ]) {
        await app.type(told);
        await app.shows('That is a token, not a tag');
      }
      await typeByWedge(page, token, { pause: { before: 20, lasts: 900 }, delay: LATER_MS });
      await app.shows('parts that may belong to a token');
      await typeByWedge(page, tailInCapitals, {
        pause: { before: 18, lasts: 900 },
        delay: 2 * LATER_MS,
      });
      await app.scan(CARTON);
      await app.waits(0);
      await app.goTo('History');
      await page.locator('[data-scan]').waitFor();
      expect(await page.content()).not.to.include(secret.slice(0, 10));
      const kept = (await page.evaluate<string>(ALL_KEPT)).replaceAll(' ', '').replaceAll('%5F', '_');
      for (const part of [secret, tailInCapitals]) {
        expect(kept.toLowerCase()).not.to.include(part.slice(0, 10).toLowerCase());
      }
      const unknown = await gateway.database.rows(
        `select value from unknown_tags where value like 't%_%' or value like 'http%'`,
      );
      expect(unknown).to.deep.equal([]);
    },
  );

  itByNight('says of a scan whose end the scanner does not send that it has none', async () => {
    await app.choosePlace('DOCK-1');
    await app.page.locator('body').evaluate('document.activeElement.blur()');
    await typeByWedge(app.page, 'PAL-4711', { ends: null });
    await app.shows('The scan has no end.');
  });

  itByNight('takes nothing of a scan that another window got the beginning of', async () => {
    await app.choosePlace('DOCK-1');
    const { page } = app;
    // The browser of the tests always believes that it is in front; the event is what a page hears of it.
    await page.evaluate(`window.dispatchEvent(new Event('focus'))`);
    await typeByWedge(page, '000816', { delay: 0 });
    await app.shows('The app was in the background for part of it.');
    await app.waits(0);
  });

  it('hears what Android’s keyboards tell as text without keys', async () => {
    await app.press('Type');
    const { page } = app;
    await page.locator('dialog input:focus').waitFor();
    const texts = JSON.stringify([...CARTON]);
    await page.evaluate(`(async () => {
      await new Promise((resolve) => setTimeout(resolve, ${SETTLED_MS}));
      const field = document.activeElement;
      const key = (key) => field.dispatchEvent(
        new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
      for (const data of ${texts}) {
        key('Unidentified');
        field.dispatchEvent(new InputEvent('beforeinput', { data, inputType: 'insertText', bubbles: true }));
        field.value += data;
      }
      key('Enter');
    })()`);
    await page.locator(`[data-latest="${CARTON}"]`).waitFor();
    expect(await page.getByLabel('Printed value').inputValue()).to.equal('');
  });

  it('takes a value that is typed', async () => {
    await app.choosePlace('DOCK-1');
    await app.type(` ${CARTON} `);
    await app.page.locator(`[data-latest="${CARTON}"]`).waitFor();
  });

  it('says why a value cannot be taken, and does not take it', async () => {
    await app.page.getByRole('radio', { name: 'RFID' }).check();
    await app.type('::--');
    await app.shows('It contains nothing that could be a tag.');
    await app.waits(0);
  });

  it('asks for a place when a scan was made without one, and records none', async () => {
    await app.scan(EPC);
    await app.shows('Not recorded. Choose where you are, then scan it again.');
    await app.page.getByText('Where are you?').click();
    await app.shows('Scan the place’s tag, or choose it here.');
  });

  itByNight('sends from two tabs what was scanned in either, once', async () => {
    const tab = await HandheldApp.open(device, gateway.url);
    await tab.shows('All sent');
    await app.choosePlace('DOCK-1');
    await device.context.setOffline(true);
    for (const number of [1, 2, 3, 4]) {
      await app.scan(`FIRST-TAB-${number}`);
      await tab.scan(`OTHER-TAB-${number}`);
    }
    await tab.waits(8);
    await device.context.setOffline(false);
    await Promise.all([app.waits(0), tab.waits(0)]);
    const counts = await gateway.database.rows<{ count: number }>(
      `select count::integer from unknown_tags where value like '%-TAB-%'`,
    );
    expect(counts.map(({ count }) => count)).to.deep.equal(Array(8).fill(1));
  });

  async function whereIs(key: string): Promise<string | undefined> {
    const [row] = await gateway.database.rows<{ external_key: string }>(
      `select locations.external_key from assets
         join positions on positions.org_id = assets.org_id and positions.asset_id = assets.id
         join locations on locations.org_id = assets.org_id and locations.id = positions.location_id
        where assets.external_key = $1`,
      [key],
    );
    return row?.external_key;
  }
});
