import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { prepareZXingModule, readBarcodes } from 'zxing-wasm/reader';
import { parseNetworks } from '../../../base/networks.ts';
import { plainValue } from '../../../base/scanned-text.ts';
import { guessTagType } from '../../../clients/handheld-app/src/scanning/guess-tag-type.ts';
import { barcodeKey } from '../../../domain/identity/barcode-key.ts';
import { faultsOf, useConsoleApp } from '../../support/console-app.ts';
import { itByNight } from '../../support/random-sets.ts';

type Format = 'QRCode' | 'Code128' | 'DataMatrix';

async function readCodes(page: Page, format: Format) {
  const picture = await page.locator('.label-print').screenshot();
  return readBarcodes(new Blob([picture]), {
    ...{ formats: [format], tryHarder: true, textMode: 'Plain', maxNumberOfSymbols: 50 },
  });
}

const NOT_IN_CODE_128 = 'Käfig 7';

describe('labels in the console', () => {
  const app = useConsoleApp({ PRINTER_NETWORKS: parseNetworks('127.0.0.0/8') ?? [] });
  let page: Page;
  /** What a handheld's camera reads on the paper. */
  const read = async (format: Format) =>
    (await readCodes(page, format)).map(({ text }) => plainValue(text)).sort();
  /** Of the PDF, in points; it is printed then. */
  const paper = async () => {
    const pdf = (await page.pdf({ preferCSSPageSize: true })).toString('latin1');
    const boxes = [...pdf.matchAll(/\/MediaBox ?\[ ?0 0 ([\d.]+) ([\d.]+) ?\]/g)];
    return boxes.map(([, width, height]) => [Math.round(Number(width)), Math.round(Number(height))]);
  };
  const print = async () => {
    await page.emulateMedia({ media: 'print' });
    // On paper there are no buttons.
    await page.getByRole('button', { name: 'Print', includeHidden: true }).dispatchEvent('click');
    await page.locator('.label-print svg').first().waitFor();
  };
  const printed = async () => {
    await page.emulateMedia({ media: 'screen' });
    await page.locator('.label-print').waitFor({ state: 'detached' });
  };

  before(async () => {
    const wasm = readFileSync(fileURLToPath(import.meta.resolve('zxing-wasm/reader/zxing_reader.wasm')));
    prepareZXingModule({ overrides: { wasmBinary: wasm.buffer as ArrayBuffer } });
    const tags = (value: string) => [{ tag_type: 'barcode', value }];
    for (const json of [
      { external_key: 'CRATE-1', name: 'Blue crate', tags: tags('4006381333931') },
      { external_key: 'CRATE-2', name: 'A crate with quite a long name', tags: tags(NOT_IN_CODE_128) },
      { external_key: 'CRATE-3', name: '<b>Third</b>' },
      {
        external_key: 'CRATE-4',
        name: 'Fourth',
        tags: [{ tag_type: 'rfid', value: 'E28011600000020912345678' }],
      },
    ]) {
      expect((await app.call({ method: 'POST', path: '/assets', json })).status).to.equal(201);
    }
    // Some 300 dots an inch, as office printers have.
    page = await app.open('#/assets', await app.as('operator'), { deviceScaleFactor: 3 });
    await page.evaluate('window.print = () => {}');
  });

  it('are of what the list shows, without what is unticked, and have nothing against them with axe', async () => {
    await page.getByLabel('Select Fourth').press('Space');
    await page.getByRole('link', { name: 'Labels (1)' }).click();
    await page.getByText('1 label on 1 sheet').waitFor();
    await page.goBack();
    await page.getByLabel('Select Fourth').uncheck();
    await page.getByRole('link', { name: 'Labels', exact: true }).click();
    await page.getByText('4 labels on 1 sheet').waitFor();
    expect(await faultsOf(page, 'labels')).to.deep.equal([]);
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByLabel('Fourth').focus();
    await page.keyboard.press('Space');
    await page.getByText('3 labels on 1 sheet').waitFor();
    expect(page.url()).to.include('without=CRATE-4');
    await page.keyboard.press('Space');
    await page.getByText('4 labels on 1 sheet').waitFor();
  });

  it('are of all that was found, or of none and then of what is ticked', async () => {
    await page.getByRole('button', { name: 'Choose none' }).click();
    await page.getByText('0 labels on 0 sheets').waitFor();
    await page.getByLabel('Fourth').check();
    await page.getByText('1 label on 1 sheet').waitFor();
    expect(page.url()).to.include('with=CRATE-4');
    await page.getByRole('button', { name: 'Choose all' }).click();
    await page.getByText('4 labels on 1 sheet').waitFor();
    expect(page.url()).not.to.match(/with=|of_none/);
  });

  it('give what has no barcode its key as one, so that every code is found by scanning', async () => {
    await page.getByText('2 have no barcode as a tag').waitFor();
    await page.getByRole('button', { name: 'Give them their keys as barcodes' }).press('Enter');
    await page.getByRole('alertdialog').getByRole('button', { name: 'Attach' }).click();
    await page.getByText('no barcode as a tag').waitFor({ state: 'detached' });
    const { body } = await app.call({ path: '/assets?q=CRATE' });
    const values = body.data.flatMap(({ tags }: { tags: { tag_type: string; value: string }[] }) =>
      tags.filter(({ tag_type: type }) => type === 'barcode').map(({ value }) => value),
    );
    expect(values.sort()).to.deep.equal(['4006381333931', 'CRATE-3', 'CRATE-4', NOT_IN_CODE_128]);

    await print();
    expect(await page.locator('.rail').isVisible()).to.equal(false);
    expect(await read('QRCode')).to.deep.equal(values);
    expect(await read('Code128')).to.deep.equal(values.filter((value: string) => value !== NOT_IN_CODE_128));
    expect(values.map(guessTagType)).to.deep.equal(['barcode', 'barcode', 'barcode', 'barcode']);
    expect(await paper()).to.deep.equal([[595, 842]]);
    await printed();
  });

  itByNight('fit the paper that was chosen, one a page for label printers', async () => {
    await page.getByLabel('Paper').selectOption('single-62');
    await page.getByText('4 labels on 4 sheets').waitFor();
    await print();
    expect(await read('QRCode')).to.have.length(4);
    expect(await paper()).to.deep.equal(Array.from({ length: 4 }, () => [176, 82]));
    await printed();
    for (const paper of await page
      .getByLabel('Paper')
      .locator('option')
      .evaluateAll((all) => all.map((each) => each.getAttribute('value') ?? ''))) {
      await page.getByLabel('Paper').selectOption(paper);
      await page.waitForURL(`**size=${paper}*`);
      const inside = await page
        .locator('.sheet-of-labels')
        .first()
        .evaluate((sheet) => {
          const around = sheet.getBoundingClientRect();
          return [...sheet.children].every(
            (label) => label.getBoundingClientRect().right <= around.right + 1,
          );
        });
      expect(inside, paper).to.equal(true);
    }
    await page.getByLabel('Paper').selectOption('letter-30');
    await page.getByLabel('Labels already used on the first sheet').fill('28');
    await page.getByText('4 labels on 2 sheets').waitFor();
    await page.getByLabel('Codes').selectOption('barcode');
    await print();
    expect(await read('Code128')).to.have.length(3);
    expect(await read('QRCode')).to.deep.equal([NOT_IN_CODE_128]);
    expect(await paper()).to.deep.equal([
      [612, 792],
      [612, 792],
    ]);
    await printed();
  });

  it('are a GS1 DataMatrix where a tag has the GS1 key of one thing, or a QR code with its Digital Link', async () => {
    const keys = ['(01)09524000059109(21)A/%&B', '(00)340123450000000000', '(8003)09524000059109PAL_1'];
    for (const [index, value] of keys.entries()) {
      const json = { external_key: `GS1-${index}`, name: 'Named', tags: [{ tag_type: 'barcode', value }] };
      expect((await app.call({ method: 'POST', path: '/assets', json })).status).to.equal(201);
    }
    // A GTIN names a kind of thing.
    const gtin = {
      external_key: 'GS1-X',
      name: 'Plain',
      tags: [{ tag_type: 'barcode', value: '5901234123457' }],
    };
    expect((await app.call({ method: 'POST', path: '/assets', json: gtin })).status).to.equal(201);
    page = await app.open('#/labels?q=GS1-', await app.as('operator'), { deviceScaleFactor: 3 });
    await page.evaluate('window.print = () => {}');
    await page.getByText('4 labels on 1 sheet').waitFor();
    await print();
    const found = await readCodes(page, 'DataMatrix');
    expect(found.map(({ symbologyIdentifier }) => symbologyIdentifier)).to.deep.equal([']d2', ']d2', ']d2']);
    const wanted = keys.map(barcodeKey).sort();
    expect(found.map(({ text }) => barcodeKey(`]d2${text}`)).sort()).to.deep.equal(wanted);
    for (const key of keys) {
      expect(await page.locator('.label-print').getByText(key, { exact: true }).count(), key).to.equal(1);
    }
    expect(await read('QRCode')).to.deep.equal(['5901234123457']);
    expect(await paper()).to.deep.equal([[595, 842]]);
    await printed();
    await page.getByLabel('Codes').selectOption('link');
    await print();
    const links = await read('QRCode');
    expect(
      links
        .filter((link) => link.startsWith('https:'))
        .map(barcodeKey)
        .sort(),
    ).to.deep.equal(wanted);
    expect(links).to.have.length(4);
    await paper();
    await printed();
  });

  it('number RFID tags of a range, and are downloaded for a printer that writes them', async () => {
    const asked = await app.open('#/labels?of_none=true&with=CRATE-1', await app.as('admin'));
    await asked.getByText('RFID labels (ZPL)').click();
    await asked.getByLabel('GTIN, GRAI').fill('80614141123458');
    await asked.getByLabel('Last number').fill('20');
    await asked.getByRole('button', { name: 'Add a range' }).click();
    await asked.getByLabel('Serial numbers').waitFor();
    expect(await faultsOf(asked, 'rfid-labels')).to.deep.equal([]);
    await asked.getByLabel('Width (mm)').fill('20');
    await asked.getByRole('button', { name: 'Download 1 label' }).click();
    await asked.getByLabel('Width (mm)').and(asked.locator('[aria-invalid=true]')).waitFor();
    await asked.getByLabel('Width (mm)').fill('70');
    await asked.getByLabel('Height (mm)').fill('25');
    await asked.getByLabel('Codes').last().selectOption('gs1');
    const [download] = await Promise.all([
      asked.waitForEvent('download'),
      asked.getByRole('button', { name: 'Download 1 label' }).click(),
    ]);
    const zpl = readFileSync(await download.path(), 'utf8');
    expect(zpl).to.match(/\^RFW,H,1,14,1\^FD300030[0-9A-F]{22}\^FS/);
    expect(zpl).to.include('^PW560^LL200');
    expect(zpl).not.to.include('^BQ');
    await asked.getByText('(01)80614141123458: 2 to 20').waitFor({ state: 'attached' });
  });

  it('go to a printer of the site, or say what to do about it', async () => {
    const host = `127.8.${process.pid % 250}.1`;
    const jobs: string[] = [];
    const printer = createServer((socket) => socket.on('data', (chunk) => jobs.push(String(chunk))));
    await once(printer.listen(9109, host), 'listening');
    for (const [name, address] of [
      ['dock', `${host}:9109`],
      ['off', `127.8.${process.pid % 250}.2:9109`],
    ]) {
      await app.call({ method: 'POST', path: '/printers', json: { name, address } });
    }
    const asked = await app.open('#/labels?of_none=true&with=CRATE-1', await app.as('operator'));
    await asked.getByText('RFID labels (ZPL)').click();
    await asked.getByLabel('Print on').selectOption('off');
    await asked.getByRole('button', { name: 'Print 1 label on off' }).click();
    await asked.getByText(/Printer off at .* does not answer; see that it is on/).waitFor();
    expect(await faultsOf(asked, 'rfid-printer')).to.deep.equal([]);
    await asked.getByLabel('Print on').selectOption('dock');
    await asked.getByRole('button', { name: 'Print 1 label on dock' }).click();
    await asked.getByText('1 label was sent to dock.').waitFor();
    expect(jobs.join('')).to.match(/^\^XA\^CI28\n.*\^XZ\n$/s);
    printer.close();
  });

  it('say beside the button how many RFID labels a file takes, before more are asked for', async () => {
    await app.database.rows(
      `insert into assets (org_id, external_key, name) select $1, 'BOX-' || n, 'Box' from generate_series(1, 501) n`,
      [app.orgId],
    );
    const asked = await app.open('#/labels?q=BOX', await app.as('operator'));
    await asked.getByText('RFID labels (ZPL)').click();
    await asked.getByText('One file takes up to 500 labels. Choose fewer.').waitFor();
    expect(await asked.getByRole('button', { name: 'Download 501 labels' }).isDisabled()).to.equal(true);
    await asked.getByRole('checkbox').first().uncheck();
    expect(await asked.getByRole('button', { name: 'Download 500 labels' }).isEnabled()).to.equal(true);
    await asked.getByText('Choose fewer.').waitFor({ state: 'detached' });
  });
});
