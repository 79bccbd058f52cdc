import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { prepareZXingModule, readBarcodes } from 'zxing-wasm/reader';
import { faultsOf, useConsoleApp } from '../../support/console-app.ts';

describe('handhelds in the console', () => {
  const app = useConsoleApp();

  before(() => {
    const wasm = readFileSync(fileURLToPath(import.meta.resolve('zxing-wasm/reader/zxing_reader.wasm')));
    prepareZXingModule({ overrides: { wasmBinary: wasm.buffer as ArrayBuffer } });
  });

  /** What a phone reads off the screen: without the decoder's own attempts at light codes on dark ground. */
  const scanned = async (page: Page) => {
    const picture = await page.getByRole('img', { name: 'QR code to sign Gun 1 in' }).screenshot();
    const found = await readBarcodes(new Blob([new Uint8Array(picture)]), {
      formats: ['QRCode'],
      tryInvert: false,
    });
    return found.map(({ text }) => text);
  };

  it('are signed in by a code that scans on dark screens too, are renamed, and revoked for good', async () => {
    const page = await app.open('#/settings/handhelds');
    await page.getByRole('heading', { name: 'No handhelds yet' }).waitFor();
    await page.getByLabel('Its name on site').fill('Gun 1');
    await page.getByLabel('Signed out at').fill('2099-12-31T18:00');
    await page.keyboard.press('Enter');
    const address = await page.getByLabel('Address of Gun 1', { exact: true }).inputValue();
    const token = await page.getByLabel('Token of Gun 1', { exact: true }).inputValue();
    expect(address).to.equal(`http://127.0.0.1:8081/#sign-in/${token}`);
    await page.getByText('Only this machine can open this address').waitFor();
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await scanned(page), colorScheme).to.deep.equal([address]);
    }
    const faults = await faultsOf(page, 'settings-handhelds');
    await page.reload();

    const line = page.getByRole('listitem').filter({ hasText: /last sent/ });
    await line.getByText('Gun 1').waitFor();
    await line.getByText(/until .*2099.* 18:00/).waitFor();
    expect(await page.content()).not.to.include(token);
    await line.getByRole('link', { name: 'Rename' }).press('Enter');
    await page.locator('dialog').getByLabel('Its name on site').fill('Gun 2');
    faults.push(...(await faultsOf(page, 'settings-handheld')));
    await page.keyboard.press('Enter');
    await line.getByText('Gun 2').waitFor();

    // The code was lost: there is a new one, which ends it.
    await line.getByRole('button', { name: 'New code' }).click();
    await page.getByRole('alertdialog').getByText('The old code stops working').waitFor();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Create code' }).click();
    const renewed = await page.getByLabel('Token of Gun 2', { exact: true }).inputValue();
    expect(renewed.split('_')[1]).to.equal(token.split('_')[1]);
    expect(renewed).not.to.equal(token);

    await line.getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke' }).click();
    await line.getByText('Revoked').waitFor();
    expect(faults).to.deep.equal([]);
    const logged = await app.database.rows<{ action: string; name: string }>(
      `select action, coalesce(after ->> 'name', '') as name from changes where resource_type = 'handheld' order by id`,
    );
    expect(logged.map(({ action, name }) => `${action} ${name}`)).to.deep.equal([
      'create Gun 1',
      'update Gun 2',
      'update ',
      'revoke ',
    ]);
  });
});
