import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { faultsOf, useConsoleApp } from '../../support/console-app.ts';

describe('importing in the console', () => {
  const app = useConsoleApp();
  let page: Page;
  const choose = async (content: string) => {
    await page.getByLabel('Choose a file, or drop it here').setInputFiles({
      ...{ name: 'crates.csv', mimeType: 'text/csv', buffer: Buffer.from(content) },
    });
    await page.getByRole('heading', { name: 'crates.csv' }).waitFor();
  };

  before(async () => {
    await app.call({ method: 'POST', path: '/assets', json: { external_key: 'CRATE-1', name: 'Old crate' } });
    page = await app.open('#/assets', await app.as('operator'));
  });

  it('leads from a faulty file to the choice of the mended one', async () => {
    const page = await app.open('#/import?of=location');
    await page.getByLabel('Choose a file, or drop it here').setInputFiles({
      ...{ name: 'faulty.csv', mimeType: 'text/csv' },
      buffer: Buffer.from('external_key,name,is_active\nGATE,Gate,perhaps\n'),
    });
    await page.getByRole('link', { name: 'Choose the corrected file' }).click();
    await page.getByLabel('Choose a file, or drop it here').waitFor();
    expect(new URL(page.url()).hash).to.include('of=location');
  });

  it('says of each fault where it is and what to do, also as a file', async () => {
    await page.getByRole('link', { name: 'Import', exact: true }).click();
    await page.getByRole('heading', { name: 'Import a CSV file' }).waitFor();
    expect(await faultsOf(page, 'import')).to.deep.equal([]);
    await choose('external_key,name\nCRATE 1,Crate\n=2,Crate\n');
    const row = page.getByRole('row').filter({ hasText: 'CRATE 1' });
    await row.getByText('Use letters, digits and hyphens only').waitFor();
    expect(await page.getByRole('button', { name: /^Apply/ }).count()).to.equal(0);
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save the faults as CSV' }).click(),
    ]);
    const csv = readFileSync(await saved.path(), 'utf8');
    expect(csv).to.match(/line,column,value,code,message\r\n2,external_key,CRATE 1,invalid_value,/);
    expect(csv).to.include(",'=2,");
    expect(await faultsOf(page, 'import-faults')).to.deep.equal([]);
  });

  it('takes a file with semicolons between its cells, as Excel writes in German', async () => {
    await page.getByRole('button', { name: 'Discard' }).click();
    await choose('\uFEFFexternal_key;name;tags\r\nCRATE-7;"Kiste; groß";"rfid:E7;barcode:7"\r\n');
    const row = page.getByRole('row').filter({ hasText: 'CRATE-7' });
    await row.locator('ins', { hasText: 'Kiste; groß' }).waitFor();
    await row.locator('ins', { hasText: 'barcode:7' }).waitFor();
  });

  it('shows what is new and what changes, field by field, and applies it by keys alone', async () => {
    await page.getByRole('button', { name: 'Discard' }).click();
    await choose('external_key,name,tags\nCRATE-1,New crate,rfid:E1\nCRATE-2,<b>Second</b>,\n');
    await page.getByRole('link', { name: /^1\s*Changed/ }).press('Enter');
    const row = page.getByRole('row').filter({ hasText: 'CRATE-1' });
    expect(await row.locator('del').first().textContent()).to.equal('Old crate');
    expect(await row.locator('ins').allTextContents()).to.deep.equal(['New crate', 'rfid:E1']);
    expect(await faultsOf(page, 'import-changes')).to.deep.equal([]);
    await page.setViewportSize({ width: 1280, height: 800 });

    const address = page.url();
    await page.evaluate(`location.hash = '#/import'`);
    await page.getByRole('link', { name: 'crates.csv' }).click();
    await page.waitForURL(address.split('?')[0] ?? '');
    await page.getByRole('link', { name: /^1\s*New/ }).waitFor();
    await page.getByText('<b>Second</b>').first().waitFor();
    await page.getByRole('button', { name: 'Apply 2 changes' }).press('Enter');
    await page.getByText('Imported: 1 new, 1 changed.').waitFor();
    await page.getByRole('link', { name: 'Show them' }).press('Enter');
    await page.getByRole('link', { name: 'New crate' }).waitFor();
  });

  it('exports what the list shows, which imports without a change', async () => {
    await page.getByLabel('Name, key, description or tag').fill('CRATE-1');
    await page.getByRole('link', { name: '<b>Second</b>' }).waitFor({ state: 'detached' });
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Export' }).click(),
    ]);
    expect(saved.suggestedFilename()).to.equal('assets.csv');
    const csv = readFileSync(await saved.path(), 'utf8');
    expect(csv.split('\r\n')).to.have.length(3);
    expect(csv).to.include('CRATE-1,New crate');
    await page.getByRole('link', { name: 'Import', exact: true }).click();
    await choose(csv);
    await page.getByText('There is nothing to apply').waitFor();
  });

  it('is not there for viewers, who may export', async () => {
    const viewer = await app.open('#/assets', await app.as('viewer'));
    await viewer.getByRole('link', { name: 'Export' }).waitFor();
    expect(await viewer.getByRole('link', { name: 'Import', exact: true }).count()).to.equal(0);
    await viewer.evaluate(`location.hash = '#/import'`);
    await viewer.getByText('Screen not found').waitFor();
  });
});
