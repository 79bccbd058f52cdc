import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectAsync, type MqttClient } from 'mqtt';
import type { Page } from 'playwright-core';
import { until, useBrowser } from '../../support/browser.ts';
import { buildConsoleIfStale } from '../../support/built-app.ts';
import { DESK } from '../../support/console-app.ts';
import { type Program, run } from '../../support/process.ts';

const TAG = 'e2806894000050000000d001';

/** A newcomer, from an empty folder to an answer, with nothing but a browser, the printed link and a device. */
describe('the first three minutes with the console', () => {
  const browser = useBrowser();
  const data = mkdtempSync(join(tmpdir(), 'tagtrail-journey-'));
  let program: Program;
  let device: MqttClient | undefined;

  before(async () => {
    chmodSync(data, 0o711);
    await buildConsoleIfStale();
    const ports = { API_PORT: '0', HANDHELD_PORT: '0', CONSOLE_PORT: '0', READERS_PORT: '0', MQTT_PORT: '0' };
    program = run('services/standalone/main.ts', [], { TAGTRAIL_DATA: data, ...ports });
    await program.printed('Database');
  });
  after(async () => {
    await device?.endAsync(true);
    program.child.kill('SIGINT');
    await program.ended;
    rmSync(data, { recursive: true, force: true });
  });

  /** As a device of this make sends it. */
  const read = (antenna: number) =>
    device?.publishAsync(
      'site/dock',
      JSON.stringify({
        data: { eventNum: 1, format: 'epc', idHex: TAG, antenna, peakRssi: -51 },
        timestamp: new Date().toISOString(),
        type: 'INVENTORY',
      }),
      { qos: 1 },
    );

  it('lead from the printed link to an asset that is seen moving, and to why', async () => {
    const [link = ''] = /http:\S+#\/link\/\S+/.exec(program.stdout()) ?? [];
    const [broker = ''] = /mqtt:\S+/.exec(program.stdout()) ?? [];
    const page = await (await browser.device({ ...DESK, locale: 'en-GB' })).open(link);
    const screens = page.getByRole('navigation', { name: 'Screens' });
    const goTo = (name: string) => screens.getByRole('link', { name, exact: false }).first().click();

    await page.getByLabel('Your name').fill('Mara Lind');
    await page.getByLabel('E-mail').fill('mara@example.com');
    await page.getByLabel('New password').fill('correct horse battery staple');
    await page.getByRole('button', { name: 'Go in' }).click();

    await page.getByRole('heading', { name: 'No places yet' }).waitFor();
    await goTo('Places');
    for (const name of ['Dock', 'Yard']) {
      await add(page, 'Add place', name);
    }
    await goTo('Assets');
    await add(page, 'Add asset', 'Reach truck');

    await goTo('Readers');
    await page.getByRole('link', { name: 'Add reader' }).last().click();
    await page.getByLabel('Name', { exact: true }).fill('Dock portal');
    await page.getByLabel('Topic').fill('site/dock');
    await page.keyboard.press('Enter');
    const password = await page.getByLabel(/^Password of reader-/).inputValue();
    const username = (await page.locator('.login dd', { hasText: /^reader-/ }).textContent()) ?? '';
    await page.getByText('Only this machine can reach this address').waitFor();
    device = await connectAsync(broker, { username, password }, false);
    await page.getByRole('button', { name: 'See what arrives' }).click();
    await read(1);
    await page.getByText(`"idHex":"${TAG}"`).waitFor();
    await page.getByRole('button', { name: 'Next: format' }).click();
    await page.getByRole('button', { name: 'Choose zebra-iotc' }).click();
    await page.getByText('Chosen', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Next: antennas' }).click();
    await page.getByText('0 reads of 0 tags').waitFor();
    await chooseByKeys(page, 'Place of antenna 1', 'Dock');
    await page.getByText('Antenna 1 saved').first().waitFor();
    await read(2);
    await page.getByRole('button', { name: 'Add antenna 2' }).click();
    await chooseByKeys(page, 'Place of antenna 2', 'Yard');
    await until(
      page,
      `[...document.querySelectorAll('.antenna [role=combobox]')].some(({ value }) => value.startsWith('Yard ·'))`,
    );
    await page.getByLabel('Is Yard a gate or a room?').selectOption('continuous');
    await page.getByText('What is here is read again and again').waitFor();
    await page.getByRole('link', { name: 'Done' }).click();

    await goTo('Inbox');
    // Attached in two clicks.
    await page.getByRole('link', { name: TAG.toUpperCase() }).click();
    await page.keyboard.type('reach');
    await page.getByRole('option', { name: 'Reach truck' }).click();
    await page.getByText('Attached to Reach truck').first().waitFor();

    await goTo('Now');
    const moves = page.getByRole('region', { name: 'Moves' });
    await read(1);
    await moves.getByText('first seen').waitFor();
    await read(2);
    const moved = moves.getByRole('listitem').filter({ has: page.getByRole('link', { name: 'Yard' }) });
    await moved.getByRole('link', { name: 'Dock' }).waitFor();
    await moves.getByRole('link', { name: 'Reach truck' }).first().click();
    await page.getByRole('link', { name: 'Why there?' }).click();
    const why = page.getByRole('dialog', { name: 'Why Reach truck is at Yard' });
    await why.getByText('It counts because').waitFor();
    await why.getByText('Dock portal, antenna 2').waitFor();
  });
});

async function add(page: Page, what: string, name: string): Promise<void> {
  await page.getByRole('link', { name: what }).first().click();
  await page.getByRole('dialog').getByLabel('Name', { exact: true }).fill(name);
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').getByRole('heading', { name, exact: true }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
}

async function chooseByKeys(page: Page, label: string, name: string): Promise<void> {
  await page.getByLabel(label, { exact: true }).first().focus();
  await page.keyboard.type(name);
  await page.keyboard.press('Enter');
}
