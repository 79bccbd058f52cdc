import { expect } from 'chai';
import type { MqttClient } from 'mqtt';
import type { Locator, Page } from 'playwright-core';
import { screenshot, until } from '../../support/browser.ts';
import { faultsOf, useConsoleApp } from '../../support/console-app.ts';
import { useIngest } from '../../support/ingest.ts';
import { storeSettings } from '../../support/location-settings.ts';
import { itByNight } from '../../support/random-sets.ts';

const AXIS_FITS = `[...document.querySelectorAll('.week-axis span')].every(
  (label) => label.getBoundingClientRect().right <= label.parentElement.getBoundingClientRect().right + 1
)`;

describe('the readers in the console', () => {
  const app = useConsoleApp({ READERS_MQTT_URL: 'mqtt://broker.example.com:1883' });
  const ingest = useIngest(app.database);
  let reader: MqttClient;

  /** As a device of this make sends it. */
  const publish = (antenna: number, rssi: number, idHex = 'e2806894000050000000d001') =>
    reader.publishAsync(
      'site/dock-3',
      JSON.stringify({
        data: { eventNum: 1, format: 'epc', idHex, antenna, peakRssi: rssi },
        timestamp: new Date().toISOString(),
        type: 'INVENTORY',
      }),
      { qos: 1 },
    );
  const stored = async () => (await app.call({ path: '/readers' })).body.data[0];

  before(async () => {
    const post = (path: string, json: object) => app.call({ method: 'POST', path, json });
    await post('/locations', { name: 'Dock', external_key: 'DOCK' });
    await post('/locations', { name: 'Yard', external_key: 'YARD' });
    const tags = [{ tag_type: 'rfid', value: 'E2806894000050000000D001' }];
    const asset = await post('/assets', { name: 'Forklift', external_key: 'LIFT', tags });
    expect(asset.status, asset.text).to.equal(201);
  });

  it('are added in four steps, and heard, by somebody who knows only the device', async () => {
    const page = await app.open('#/readers');
    await page.getByRole('heading', { name: 'No readers yet' }).waitFor();
    await page.getByRole('link', { name: 'Add reader' }).last().click();
    await page.getByLabel('Name', { exact: true }).fill('Dock 3');
    await page.getByLabel('Topic').fill('site/dock-3');
    await page.keyboard.press('Enter');
    await page.getByText('mqtt://broker.example.com:1883', { exact: true }).waitFor();
    const password = await page.getByLabel(/^Password of reader-/).inputValue();
    const username = (await page.locator('.login dd').last().textContent()) ?? '';
    await page.getByRole('button', { name: 'See what arrives' }).click();
    await page.getByRole('heading', { name: 'Nothing has arrived yet' }).waitFor();
    await page.getByText('It is not connected to the embedded broker').waitFor();
    reader = await ingest.connect(username, { password });
    await page.getByText('It is connected. Hold a tag in front of it').waitFor();
    await publish(2, -61);
    await page.getByText('"idHex":"e2806894000050000000d001"').waitFor();

    await page.getByRole('button', { name: 'Next: format' }).click();
    await page.getByText('Most likely', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Choose zebra-iotc' }).click();
    await page.getByText('Chosen', { exact: true }).waitFor();
    expect(await page.getByRole('button', { name: 'Read them now' }).count()).to.equal(0);

    await page.getByRole('button', { name: 'Next: antennas' }).click();
    await page.getByText('0 reads of 0 tags').waitFor();
    await page.getByText('Antenna 2 is without a place').waitFor();
    expect(await page.getByRole('button', { name: 'Read them now' }).count()).to.equal(0);
    await page.getByRole('button', { name: 'Add antenna 2' }).click();
    await chooseByKeys(page, 'Place of antenna 2', 'YARD');
    await page.getByRole('button', { name: 'Read them now' }).click();
    await page.getByText('1 message was read: 1 read recorded.').waitFor();
    await page.getByText('1 read in all').waitFor();
    expect((await stored()).counters).to.include({ recorded: 1, unplaced: 0 });
    await placesAre(page, ['', 'Yard · YARD']);
    await publish(2, -58);
    await page.getByText('In the last 30 seconds: 1 read of 1 tag').waitFor();
    await page
      .locator('.antenna-name')
      .first()
      .dragTo(page.locator('.target', { hasText: 'DOCK' }));
    await placesAre(page, ['Dock · DOCK', 'Yard · YARD']);
    const { antennas } = await stored();
    expect(
      antennas.map(({ location_external_key: key }: { location_external_key: string }) => key),
    ).to.deep.equal(['DOCK', 'YARD']);

    await page.getByRole('link', { name: 'Listen to 2' }).click();
    const sheet = page.getByRole('dialog');
    await sheet.getByText(/0 reads of 0 tags in 0 messages/).waitFor();
    await publish(2, -44.5);
    await sheet.getByText('\u221244.5 dBm').waitFor();
    await sheet.getByRole('link', { name: 'Forklift', exact: true }).waitFor();
    expect(await faultsOf(page, 'readers-listen')).to.deep.equal([]);
    await levelsShown(page, sheet);
    await page.keyboard.press('Escape');
    expect(await page.evaluate('location.hash')).not.to.include('asset=');
    await page.getByRole('link', { name: 'Done' }).click();
    await page.getByRole('heading', { name: 'Dock 3' }).waitFor();
  });

  /** By the keyboard. */
  async function levelsShown(page: Page, sheet: Locator): Promise<void> {
    const [row] = await app.database.rows<{ id: number }>('select id from organizations');
    const setting = { procedure: 'strength', certainty: 1 } as const;
    await storeSettings(app.database, row?.id ?? 0, [
      { locationId: null, validFrom: Date.now() * 1_000, setting },
    ]);
    await sheet.getByRole('link', { name: 'Levels of Forklift' }).focus();
    await page.keyboard.press('Enter');
    const levels = sheet.getByRole('region', { name: 'Levels' });
    await publish(2, -44.5);
    await publish(1, -45);
    await levels.getByText('Now at Yard.').waitFor();
    await levels.getByRole('row', { name: /Dock .* \u221245 dBm/ }).waitFor();
    await publish(1, -30);
    await levels.getByText('They say Dock.', { exact: false }).waitFor();
    const dock = levels.getByRole('row', { name: /^Dock/ });
    expect(await dock.textContent()).to.match(/\u221230 dBm0 dB$/);
    expect(await faultsOf(page, 'readers-levels')).to.deep.equal([]);
    await page.evaluate(`location.hash = location.hash.replace(/asset=\\d+/, 'asset=999999')`);
    await levels.getByText('Asset not found').waitFor();
    const device = { locale: 'de-DE', viewport: { width: 390, height: 780 } };
    const german = await app.open('#/readers/1?listen=0&asset=1', app.token, device);
    await german.getByRole('columnheader', { name: 'Fehlt noch' }).waitFor();
    expect(await german.evaluate('document.documentElement.scrollWidth')).to.equal(390);
    await screenshot(german, 'console/readers-levels-german');
  }

  it('say of their places only what was stored', async () => {
    const page = await app.open(`#/readers/new?reader=${(await stored()).id}&step=antennas`);
    await page.route('**/console/v1/watches', (route) => route.abort());
    await page.getByLabel('Is Yard a gate or a room?').selectOption('continuous');
    await page.getByRole('alert').getByText('The server cannot be reached').waitFor();
    expect(await page.getByText('Saved').count()).to.equal(0);
    expect(await page.getByLabel('Is Yard a gate or a room?').inputValue()).to.equal('portal');
    await page.unroute('**/console/v1/watches');
    await page.getByLabel('Is Yard a gate or a room?').selectOption('continuous');
    await page.getByText('Saved').first().waitFor();
    expect(await page.getByRole('alert').count()).to.equal(0);
  });

  it('say what goes wrong as they sign in', async () => {
    const { id, mqtt_username: username } = await stored();
    await app.database.rows(
      `insert into refused_sign_ins (period, kind, name, count, last_at, address)
       select date_bin('10 minutes', now(), 'epoch'), kind, $1, 65, now() + interval '1 hour', '10.0.0.7'
       from unnest(array['reader_mqtt_5', 'reader_taken_over']) as kind`,
      [username],
    );
    const page = await app.open(`#/readers/${id}`);
    await page.getByText(/It speaks MQTT 5.*refused 65 times in the last day.*MQTT 3\.1\.1/).waitFor();
    await page.getByText(/Two devices use its login.*65 times in the last day/).waitFor();
    expect(await faultsOf(page, 'readers-sign-ins')).to.deep.equal([]);
    await app.database.empty('refused_sign_ins');
  });

  it('are listened to again where that was refused for a while', async () => {
    const { id } = await stored();
    const page = await app.open(`#/readers/${id}`);
    let refusals = 0;
    await page.route('**/listen?*', (route) => {
      refusals += 1;
      return refusals > 2 ? route.continue() : route.fulfill({ status: 503 });
    });
    await page.getByRole('link', { name: 'Listen to 2' }).click();
    const sheet = page.getByRole('dialog');
    await sheet.getByText('Listening was interrupted').waitFor();
    await sheet.locator('.heard-sum').waitFor();
    expect(refusals).to.equal(3);
    expect(await sheet.getByText('Listening was interrupted').count()).to.equal(0);
  });

  it('have antennas whose levels are corrected and whose heights are known', async () => {
    const { id } = await stored();
    const page = await app.open(`#/readers/${id}`);
    const [offset, height] = [page.getByLabel('Level offset (dB)'), page.getByLabel('Above the tags (m)')];
    await offset.last().fill('3.5');
    await offset.last().press('Enter');
    await page.getByText('Antenna 2 saved').first().waitFor();
    await height.last().fill('2.4');
    await height.last().press('Tab');
    const set = async () => {
      const { offset_db: db, height_m: metres } = (await stored()).antennas.at(-1);
      return [db, metres];
    };
    for (let look = 0; (await set())[1] !== 2.4 && look < 100; look++) {
      await page.evaluate('new Promise((done) => requestAnimationFrame(done))');
    }
    expect(await set()).to.deep.equal([3.5, 2.4]);
    expect(await faultsOf(page, 'reader-antennas')).to.deep.equal([]);
  });

  it('have antennas whose places can be read whole, however wide the window is', async () => {
    const { id } = await stored();
    const page = await app.open(`#/readers/${id}`);
    await placesAre(page, ['Dock · DOCK', 'Yard · YARD']);
    for (const width of [1_280, 1_200, 1_024, 820, 360]) {
      await page.setViewportSize({ width, height: 800 });
      const room = await page.evaluate<number>(
        `Math.min(...[...document.querySelectorAll('.antenna [role=combobox]')].map((input) => input.clientWidth))`,
      );
      expect(room, `pixels for a place at ${width}`).to.be.at.least(210);
    }
  });

  it('show what became of what they sent without being loaded again, and when they were heard', async () => {
    const { id, counters } = await stored();
    const page = await app.open(`#/readers/${id}`);
    const heard = page.getByRole('region', { name: 'Since it was registered' });
    await heard.getByText(/% of the time/).waitFor();
    const [plot, span] = [await heard.locator('.week-plot').boundingBox(), heard.locator('.week-up').first()];
    const part = ((await span.boundingBox())?.width ?? 0) / (plot?.width ?? 1);
    expect(part, 'a minute can be seen of a reader that is new').to.be.greaterThan(0.003);
    const recorded = page.locator('.outcomes dd').first();
    expect(await recorded.textContent()).to.equal(String(counters.recorded));
    await publish(2, -50);
    await page
      .locator('.outcomes dd', { hasText: String(counters.recorded + 1) })
      .first()
      .waitFor();
    expect(await page.evaluate<boolean>(AXIS_FITS)).to.equal(true);
    expect(await faultsOf(page, 'reader')).to.deep.equal([]);
    await page.getByRole('link', { name: 'Not readable' }).click();
    await page.waitForURL(`**/#/inbox/rejected?reader_id=${id}`);
    await page.goBack();
    await page.getByRole('link', { name: 'Unknown tags' }).click();
    await page.waitForURL(`**/#/inbox/tags?reader_id=${id}`);
    await page.evaluate(`location.hash = '#/readers'`);
    await page.getByRole('row', { name: /Dock 3.*New/ }).waitFor();
    expect(await faultsOf(page, 'readers')).to.deep.equal([]);
  });

  it('are shown however slowly the server answers: no look is broken off by the next', async () => {
    const { id } = await stored();
    const page = await app.open('#/assets');
    await page.getByRole('heading', { level: 1, name: 'Assets' }).waitFor();
    const brokenOff: string[] = [];
    // What the screen that is left still waits for may be broken off.
    page.on('requestfailed', (request) => {
      if (request.url().includes('/readers/')) {
        brokenOff.push(request.url());
      }
    });
    let answer = () => {};
    const isTime = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route(`**/console/v1/readers/${id}`, async (route) => {
      await isTime;
      await route.continue();
    });
    await page.evaluate('window.ticks = []; window.setInterval = (tick) => window.ticks.push(tick)');
    const asked = page.waitForRequest(`**/console/v1/readers/${id}`);
    await page.evaluate(`location.hash = '#/readers/${id}'`);
    await asked;
    await until(page, 'window.ticks.length > 0');
    await page.evaluate('window.ticks.forEach((tick) => tick())');
    answer();
    await page.getByRole('heading', { name: 'Dock 3' }).waitFor();
    expect(brokenOff).to.deep.equal([]);
  });

  it('get a format that is written beside what it makes of a message', async () => {
    const { id } = await stored();
    const page = await app.open(`#/readers/new?reader=${id}&step=format&write=tagtrail`);
    const definition = page.getByLabel('Definition');
    await page.getByLabel('Message').fill('{"value":"E2","antenna":4}');
    await page.getByText('1 read', { exact: true }).waitFor();
    const source = await definition.inputValue();
    await definition.fill(source.replace('"decode"', '"encode"'));
    await page.getByText('unknown key "encode"').waitFor();
    expect(await page.getByRole('button', { name: 'Save and use' }).isDisabled()).to.equal(true);
    await definition.fill(source);
    await page.getByText('1 read', { exact: true }).waitFor();
    expect(await faultsOf(page, 'readers-format')).to.deep.equal([]);
    await page.getByRole('button', { name: 'Save and use' }).click();
    await page.getByText('read as my-tagtrail now').waitFor();
    expect((await stored()).format).to.equal('my-tagtrail');
  });

  itByNight('have formats that are listed, changed, and deleted when no reader has them', async () => {
    const { id } = await stored();
    const page = await app.open('#/readers');
    await page.getByRole('link', { name: 'Formats' }).click();
    await page.getByText('Used by 1 reader').waitFor();
    expect(await page.getByRole('button', { name: 'Delete my-tagtrail' }).isDisabled()).to.equal(true);
    expect(await faultsOf(page, 'readers-formats')).to.deep.equal([]);
    await page.getByRole('link', { name: 'Change my-tagtrail' }).click();
    const definition = page.getByLabel('Definition');
    await until(page, `document.querySelector('textarea')?.value.includes('"my-tagtrail"')`);
    const source = JSON.parse(await definition.inputValue());
    await definition.fill(JSON.stringify({ ...source, description: 'Ours, at the docks' }));
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Ours, at the docks').waitFor();
    await app.call({ method: 'PATCH', path: `/readers/${id}`, json: { format: 'none' } });
    await page.reload();
    await page.getByRole('button', { name: 'Delete my-tagtrail' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('heading', { name: 'No formats of your own' }).waitFor();
  });

  it('get another password, shown once, and are deleted once that is meant', async () => {
    const { id } = await stored();
    const page = await app.open(`#/readers/${id}?edit=true`);
    await page.getByRole('button', { name: 'New password' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'New password' }).click();
    expect(await page.getByLabel(/^Password of reader-/).inputValue()).to.have.length(32);
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('heading', { name: 'No readers yet' }).waitFor();
  });
});

/** Waits until the antennas are at these, as their reader says. */
function placesAre(page: Page, places: readonly string[]): Promise<void> {
  const shown = `[...document.querySelectorAll('.antenna [role=combobox]')].map(({ value }) => value).join('\\n')`;
  return until(page, `${shown} === ${JSON.stringify(places.join('\n'))}`);
}

async function chooseByKeys(page: Page, label: string, key: string): Promise<void> {
  const picker = page.getByLabel(label, { exact: true }).first();
  await picker.focus();
  await page.keyboard.type(key);
  await page.keyboard.press('Enter');
}
