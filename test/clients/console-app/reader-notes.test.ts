import { expect } from 'chai';
import type { MqttClient } from 'mqtt';
import type { Page } from 'playwright-core';
import { faultsOf, useConsoleApp } from '../../support/console-app.ts';
import { useIngest } from '../../support/ingest.ts';
import { itByNight } from '../../support/random-sets.ts';
import { Site } from '../../support/site.ts';

const TAG = 'E28011600000020912340001';

describe('what a reader sends that is of no use, on its page', () => {
  const app = useConsoleApp();
  const ingest = useIngest(app.database);
  let readerId: number;
  let device: MqttClient;

  const publish = (message: object) => device.publishAsync('site/yard', JSON.stringify(message), { qos: 1 });
  const note = (page: Page, words: string | RegExp) => page.locator('.note', { hasText: words });

  before(async () => {
    const site = Site.of(app.database, app.orgId);
    const gate = await site.location('GATE');
    await site.location('YARD');
    await site.asset('PALLET', TAG);
    readerId = await site.reader('Yard', [gate, null], { topic: 'site/yard', format: 'tagtrail' });
    device = await ingest.connect('Yard');
  });

  it('names antennas that nobody has registered, and a place chosen there registers one', async () => {
    for (let read = 0; read < 3; read++) {
      await publish({ value: TAG, antenna: 'yard-left', rssi: -50 - read });
    }
    await publish({ value: TAG, rssi: -60 });
    const page = await app.open(`#/readers/${readerId}`);
    const named = note(page, /Antenna yard-left appears in 3 reads but is not in the list/);
    await named.waitFor();
    await note(page, /1 read named none of its antennas/).waitFor();
    const found = await faultsOf(page, 'reader-unplaced');
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByRole('combobox', { name: 'Place of antenna yard-left' }).click();
    await page.getByRole('option', { name: 'YARD' }).click();
    await named.waitFor({ state: 'detached' });
    await page.locator('.antenna', { hasText: 'Antenna yard-left' }).waitFor();
    found.push(...(await faultsOf(page, 'reader-placed')));
    expect(found).to.deep.equal([]);
    // Ingestion takes antennas as known for a moment.
    do {
      await publish({ value: TAG, antenna: 'yard-left' });
    } while ((await app.call({ path: '/assets?q=PALLET' })).body.data[0].location_external_key !== 'YARD');
  });

  it('says how many reads have a strength, a time or a measured value that cannot be used, with an example', async () => {
    await publish({ value: TAG, antenna: 1, rssi: 127 });
    await publish({ value: TAG, antenna: 1, rssi: 0 });
    await publish({ value: TAG, antenna: 1, observed_at: '2026-05-01T10:00:00' });
    await publish({ value: TAG, antenna: 1, battery_percent: 255 });
    const long = new Date(Date.now() - 864_000_000).toISOString();
    await publish({ value: TAG, antenna: 1, observed_at: long });
    const page = await app.open(`#/readers/${readerId}`);
    await note(page, /1 read had an impossible measured value \(battery_percent 255\)/).waitFor();
    await note(page, /So far its clock is 864,00\d s behind/).waitFor();
    await note(page, /2 reads had an impossible signal strength, such as 0/).waitFor();
    await note(page, /1 read had an unreadable time \(2026-05-01T10:00:00\)/).waitFor();
    expect(await faultsOf(page, 'reader-unusable')).to.deep.equal([]);
  });

  it('asks about messages that were ignored and hold something like a tag, and leads to them', async () => {
    await app.call({ method: 'PATCH', path: `/readers/${readerId}`, json: { format: 'csl-cs463' } });
    const page = await app.open(`#/readers/${readerId}`);
    await publish({ devid: 'A', event: 'TAG_READ', epc: TAG, ts: '1780591822281' });
    await note(page, '1 message was ignored').getByRole('link', { name: 'inbox' }).click();
    const row = page.locator('tbody tr', { hasText: 'Should this have been a read?' });
    await row.locator('.badge', { hasText: 'Ignored' }).waitFor();
    expect(await page.locator('tbody tr').count()).to.equal(1);
  });

  itByNight('is said in German, and offers viewers nothing to choose', async () => {
    await publish({ value: TAG, antenna: 'yard-right' });
    await app.call({ method: 'PATCH', path: `/readers/${readerId}`, json: { format: 'tagtrail' } });
    const page = await app.open(`#/readers/${readerId}`, await app.as('viewer'), { locale: 'de-DE' });
    await publish({ value: TAG, antenna: 'yard-right' });
    await note(page, /1 Lesung nennt die Antenne yard-right/).waitFor();
    await note(page, 'eine Signalstärke, die kein Funk hat').waitFor();
    await note(page, 'eine unlesbare Zeit').waitFor();
    expect(await page.getByRole('combobox', { name: 'Ort der Antenne yard-right' }).count()).to.equal(0);
    expect(await faultsOf(page, 'reader-notes-german')).to.deep.equal([]);
  });
});
