import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { parse } from 'csv-parse/sync';
import type { Page } from 'playwright-core';
import { ulid } from 'ulid';
import { sealBatch } from '../../../domain/moves/sealing/seal-batch.ts';
import { faultsOf, useConsoleApp } from '../../support/console-app.ts';
import { aRead, record } from '../../support/recording.ts';
import { Site } from '../../support/site.ts';
import { storeSweepBy } from '../../support/stored-sweep.ts';

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
    await choose(
      '\uFEFFexternal_key;name;is_active;tags\r\nCRATE-7;"Kiste; groß";FALSCH;"rfid:E7;barcode:7"\r\n',
    );
    const row = page.getByRole('row').filter({ hasText: 'CRATE-7' });
    await row.locator('ins', { hasText: 'Kiste; groß' }).waitFor();
    await row.locator('ins', { hasText: 'barcode:7' }).waitFor();
    await row.locator('ins', { hasText: /^(false|no)$/ }).waitFor();
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

  it('asks which column is which where they have other names, and leaves out the rest', async () => {
    const page = await app.open('#/import', await app.as('operator'), {
      ...{ locale: 'de-DE', viewport: { width: 1400, height: 900 } },
    });
    const file = page.getByLabel('Datei wählen oder hier ablegen');
    const csv = Buffer.from('\uFEFFInventarnummer;Kiste;Preis\r\nCRATE-30;"Grün; groß";12\r\n');
    await file.setInputFiles({ name: 'kisten.csv', mimeType: 'text/csv', buffer: csv });
    await page.getByRole('heading', { name: 'Welche Spalte ist was?' }).waitFor();
    expect(await page.getByLabel('Inventarnummer').inputValue()).to.equal('external_key');
    await page.getByText('Grün; groß').waitFor();
    const goOn = page.getByRole('button', { name: 'Änderungen ansehen' });
    expect(await goOn.isDisabled()).to.equal(true);
    await page.getByLabel('Kiste').focus();
    await page.keyboard.type('Name');
    expect(await faultsOf(page, 'import-columns')).to.deep.equal([]);
    await page.setViewportSize({ width: 390, height: 844 });
    await goOn.press('Enter');
    await page.getByRole('heading', { name: 'kisten.csv' }).waitFor();
    const row = page.getByRole('row').filter({ hasText: 'CRATE-30' });
    await row.locator('ins', { hasText: 'Grün; groß' }).waitFor();
    await page.getByRole('button', { name: 'Verwerfen' }).click();
  });

  it('says what to do with a workbook, and has a template', async () => {
    const page = await app.open('#/import?of=location', await app.as('operator'));
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save a template with these columns' }).click(),
    ]);
    expect(saved.suggestedFilename()).to.equal('places-template.csv');
    const template = readFileSync(await saved.path());
    expect(String(template)).to.match(/^\uFEFFexternal_key,name,description,parent_external_key,.*\r\n$/);
    const file = page.getByLabel('Choose a file, or drop it here');
    await file.setInputFiles({
      ...{
        name: 'places.xlsx',
        mimeType: 'application/zip',
        buffer: Buffer.from('504b030414000600ff', 'hex'),
      },
    });
    await page.getByText('open it there, save it as "CSV UTF-8" and try again').first().waitFor();
    await page.getByRole('link', { name: 'Choose the corrected file' }).click();
    await file.setInputFiles({ name: 'places.csv', mimeType: 'text/csv', buffer: template });
    await page.getByText('The file has no rows.').waitFor();
  });

  it('is not there for viewers, who may export', async () => {
    const viewer = await app.open('#/assets', await app.as('viewer'));
    await viewer.getByRole('link', { name: 'Export' }).waitFor();
    expect(await viewer.getByRole('link', { name: 'Import', exact: true }).count()).to.equal(0);
    await viewer.evaluate(`location.hash = '#/import'`);
    await viewer.getByText('Screen not found').waitFor();
  });
});

describe('lists of the console, saved as CSV', () => {
  const app = useConsoleApp();
  let site: Site;

  before(async () => {
    site = await Site.create(app.database, 'Acme');
    const { orgId } = site;
    const { rows } = app.database;
    const hall = await site.location('HALL');
    const dock = await site.location('DOCK-1', hall);
    await rows("update locations set name = 'Dock; west' where id = $1", [dock]);
    const readerId = await site.reader('gate', [dock]);
    const id = await site.asset('007', 'E28011');
    await rows(
      `insert into assets (org_id, external_key, name) select $1, 'BOX-' || number, 'Box' from generate_series(1, 60) number`,
      [orgId],
    );
    const read = { orgId, readerId, locationId: dock, at: Date.now() * 1_000 - 60_000_000, rssi: -50 };
    await record(app.database, [aRead({ ...read, value: 'E28011' }), aRead({ ...read, value: 'E2809999' })]);
    await rows(
      `insert into rejected_messages (org_id, reader_id, topic, reason, received_at, bytes, payload, payload_sha256, is_whole)
       values ($1, $2, '=gate', 'no JSON', now(), 1, 'x', sha256('x'), true)`,
      [orgId, readerId],
    );
    const rule = ulid();
    await rows(
      `insert into rules (org_id, id, version, valid_from, is_ended, kind, name, location_id, metadata, mail_to)
       values ($1, $2, 1, now(), false, 'not_allowed', 'Not here', $3, '[]', '{}')`,
      [orgId, rule, dock],
    );
    await rows(
      `insert into alerts (org_id, id, rule_id, rule_valid_from, rule_name, kind, asset_id, location_id, opened_at, because)
       values ($1, $2, $3, now(), 'Not here', 'not_allowed', $4, $5, now(), $6)`,
      [orgId, ulid(), rule, id, dock, JSON.stringify({ location_id: dock, from: new Date().toISOString() })],
    );
    await storeSweepBy(
      app.database,
      { orgId, handheld: 'Early shift' },
      {
        ...{ id: '01KQSB3M8R0E5T9V2W4X6Y8Z1B', locationId: dock, endedAt: new Date().toISOString() },
        ...{ expected: [id], found: [id], missing: [] },
      },
    );
    await sealBatch(app.database.pool, [{ orgId, after: 0, share: 1_000 }]);
  });

  const ASSET = ['Asset', 'Asset: key'];
  const PLACE = ['Place', 'Place: key'];

  /** Titles, and a row's beginning that has to be there. */
  const LISTS: readonly [hash: string, titles: readonly string[], first: readonly unknown[]][] = [
    [
      '#/assets?q=E28011',
      ['Name', 'Key', 'State', ...PLACE, 'Last seen', 'Tags', 'Changed'],
      ["'007", "'007", 'Present', 'Dock; west', 'DOCK-1'],
    ],
    [
      '#/places?sort=name',
      ['Name', 'Key', 'Within', 'Within: key', 'Tags'],
      ['Dock; west', 'DOCK-1', 'HALL'],
    ],
    ['#/place/DOCK', ['Asset', 'State', 'Key', 'Since', 'For (s)', 'Last seen'], ["'007", 'Present', "'007"]],
    ['#/readers', ['Name', 'State', 'Last message', 'Messages'], ['gate']],
    ['#/rules', ['Name', 'Raises when', 'About'], ['Not here']],
    ['#/alerts', ['Asset or reader', 'Asset or reader: key', 'What', ...PLACE], ["'007", "'007"]],
    ['#/inbox/tags', ['Kind', 'Tag', 'Strength'], ['RFID', 'E2809999', '-50']],
    ['#/inbox/rejected', ['Reason', 'Reader', 'Received', 'Topic', 'Size'], ['no JSON', 'gate']],
    ['#/reports/presence?state=present', [...ASSET, 'State'], ["'007", "'007", 'Present']],
    [
      '#/reports/positions',
      [...ASSET, ...PLACE, 'Since', 'Last seen'],
      ["'007", "'007", 'Dock; west', 'DOCK-1'],
    ],
    ['#/reports/stays', [...ASSET, ...PLACE, 'Arrived', 'Left', 'In this time (s)'], ["'007", "'007"]],
    ['#/reports/dwell', [...PLACE, 'Total (s)', 'Median (s)'], ['Not yet seen', '']],
    ['#/reports/sweeps', [...PLACE, 'Ended', 'With'], ['Dock; west', 'DOCK-1']],
    ['#/settings/users', ['Name', 'E-mail', 'Role'], ['Somebody']],
    ['#/settings/changes', ['When', 'Who', 'What', 'Key', 'Field', 'before', 'after'], []],
  ];

  it('have names and keys, whichever list it is', async () => {
    const page = await app.open('#/now', await app.as('admin', site.orgId));
    const [dock] = await app.database.rows<{ id: number }>(
      `select id from locations where org_id = $1 and external_key = 'DOCK-1'`,
      [site.orgId],
    );
    for (const [hash, titles, first] of LISTS) {
      await page.evaluate(`location.hash = ${JSON.stringify(hash.replace('/DOCK', `/${dock?.id}`))}`);
      await page.locator('.waiting, .loading').first().waitFor({ state: 'detached' });
      const { records } = await savedBy(page, /^Export (all|\d+ rows?) as CSV$/);
      const [header = [], row = []] = records;
      expect(header.slice(0, titles.length), hash).to.deep.equal(titles);
      expect(row.slice(0, first.length), hash).to.deep.equal(first);
    }
  });

  it('have the rows of all pages, as they are filtered and sorted', async () => {
    const page = await app.open(
      '#/assets?q=box&sort=-external_key&page=2',
      await app.as('viewer', site.orgId),
    );
    await page.getByText('51 – 60 of 60').waitFor();
    const { name, records } = await savedBy(page, 'Export 60 rows as CSV');
    expect(name).to.equal('Assets.csv');
    const keys = records.slice(1).map(([, key]) => key);
    expect(keys).to.have.length(60);
    expect(keys.slice(0, 3)).to.deep.equal(['BOX-9', 'BOX-8', 'BOX-7']);
    await page.getByText('51 – 60 of 60').waitFor();
    expect(await page.locator('tbody tr').count()).to.equal(10);
  });

  it('are for the spreadsheets of the language, reached by keys on a phone', async () => {
    const page = await app.open('#/assets?q=E28011', await app.as('viewer', site.orgId), {
      ...{ locale: 'de-DE', viewport: { width: 390, height: 844 } },
    });
    await page.getByRole('button', { name: '1 Zeile als CSV exportieren' }).focus();
    const [saved] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('Enter')]);
    expect(saved.suggestedFilename()).to.equal('Objekte.csv');
    const text = readFileSync(await saved.path(), 'utf8');
    expect(text).to.match(/^\uFEFFName;Schlüssel;.*\r\n'007;'007;.*;"Dock; west";DOCK-1;/);
    expect(await faultsOf(page, 'list-to-save')).to.deep.equal([]);
  });
});

/** What a button saves, without the byte order mark. */
async function savedBy(page: Page, button: string | RegExp) {
  const [saved] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: button }).first().click(),
  ]);
  const text = readFileSync(await saved.path(), 'utf8');
  expect(text[0]).to.equal('\uFEFF');
  return { name: saved.suggestedFilename(), records: parse(text, { bom: true }) as string[][] };
}
