import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { faultsInGerman, faultsOf, useConsoleApp } from '../../support/console-app.ts';
import { drawRowOfRooms } from '../../support/location/row-of-rooms.ts';
import { storeSettings } from '../../support/location-settings.ts';
import { itByNight } from '../../support/random-sets.ts';
import { aRead, record } from '../../support/recording.ts';
import { Site } from '../../support/site.ts';

const SECOND = 1_000_000;

describe('why an asset is where it is, in the console, in a browser', () => {
  const app = useConsoleApp();
  const { database } = app;
  let site: Site;
  let token: string;
  let readerId: number;
  const rooms: number[] = [];
  const asset = { drum: 0, crate: 0, cart: 0 };
  const begun = (Math.floor(Date.now() / 1_000) - 3_600) * SECOND;

  /** Each second the antennas of the rooms hear a tag so strongly, from a second on. */
  const hear = (value: string, from: number, seconds: number, levels: Readonly<Record<number, number>>) =>
    record(
      database,
      Array.from({ length: seconds }, (_, second) =>
        Object.entries(levels).map(([room, rssi]) =>
          aRead({
            ...{ orgId: site.orgId, readerId, value, rssi, antenna: Number(room) + 1 },
            tagType: 'ble',
            ...{
              locationId: rooms[Number(room)] ?? 0,
              at: begun + (from + second) * SECOND + Number(room) * 10_000,
            },
          }),
        ),
      ).flat(),
    );

  before(async () => {
    site = await Site.create(database, 'Acme');
    token = await app.as('viewer', site.orgId);
    const hall = await site.location('HALL');
    for (const key of ['RECEPTION', 'WORKSHOP', 'STORE', 'OFFICE']) {
      rooms.push(await site.location(key, hall));
    }
    readerId = await site.reader('Gateway', rooms.slice(0, 3));
    await drawRowOfRooms(database, { orgId: site.orgId, hall, rooms, readerId });
    const validFrom = begun - SECOND;
    await storeSettings(database, site.orgId, [
      { locationId: hall, validFrom, setting: { procedure: 'strength', certainty: 1 } },
      ...rooms.slice(2).map((locationId) => ({
        ...{ locationId, validFrom },
        setting: { procedure: 'position', certainty: 1, tagDbm: -55 } as const,
      })),
    ]);
    asset.drum = await site.asset('DRUM-1', 'D1', 'ble');
    asset.crate = await site.asset('CRATE-2', 'C2', 'ble');
    asset.cart = await site.asset('CART-3', 'C3', 'ble');
    // At the reception; a minute later it is heard alike at two places.
    const ble = (value: string, ...heard: [number, number, Readonly<Record<number, number>>][]) =>
      heard.reduce(
        (before, [from, seconds, levels]) => before.then(() => hear(value, from, seconds, levels)),
        Promise.resolve<unknown>(null),
      );
    await ble('D1', [0, 6, { 0: -58, 1: -66 }], [120, 4, { 0: -62, 1: -61 }]);
    await ble('C2', [0, 2, { 0: -60, 1: -61 }]);
    await ble('C3', [0, 10, { 1: -76, 2: -63 }]);
  });

  const dialog = (page: Page) => page.getByRole('dialog');

  it('shows what was heard at each place, what is needed, and what its last reads lack', async () => {
    const page = await app.open(`#/asset/${asset.drum}?why=now`, token);
    const sheet = dialog(page);
    await sheet.getByText('It counts because it was heard louder at RECEPTION than anywhere else.').waitFor();
    const tables = sheet.locator('.why-table');
    expect(await tables.count()).to.equal(2);
    const rows = await tables.first().locator('tbody tr').allInnerTexts();
    expect(rows.map((row) => row.replace(/\s+/g, ' '))).to.deep.equal([
      'RECEPTION Gateway, antenna 1 5 −58 dBm –',
      'WORKSHOP Gateway, antenna 2 5 −66 dBm 8 dB of 1.9',
    ]);
    await sheet
      .getByText('They decide nothing: WORKSHOP is 1 dB stronger than RECEPTION, 2.1 needed.')
      .waitFor();
    expect(await faultsOf(page, 'why-strength')).to.deep.equal([]);
    const german = { name: 'why-strength', text: 'Es zählt, weil es bei RECEPTION lauter zu hören war als' };
    expect(await faultsInGerman(app, `#/asset/${asset.drum}?why=now`, token, german)).to.deep.equal([]);
  });

  it('says of an asset without a place between which it is undecided', async () => {
    const page = await app.open(`#/asset/${asset.crate}`, token);
    await page.getByRole('link', { name: 'Look at its reads' }).click();
    await dialog(page).getByText('None of its reads clearly says where it is.').waitFor();
    await dialog(page)
      .getByText('They decide nothing: RECEPTION is 1 dB stronger than WORKSHOP, 3 needed.')
      .waitFor();
    expect(await faultsOf(page, 'why-undecided')).to.deep.equal([]);
    const german = { name: 'why-undecided', text: 'Sie entscheiden nichts: RECEPTION ist um 1 dB stärker' };
    expect(await faultsInGerman(app, `#/asset/${asset.crate}?why=now`, token, german)).to.deep.equal([]);
  });

  itByNight('shows how likely each place is, and where on the plan', async () => {
    const hash = `#/asset/${asset.cart}?why=now`;
    const page = await app.open(hash, token);
    await dialog(page).getByRole('heading', { name: 'How likely each place is' }).first().waitFor();
    await dialog(page)
      .getByText(/On the plan of HALL/)
      .first()
      .waitFor();
    expect(await faultsOf(page, 'why-position')).to.deep.equal([]);
    const german = { name: 'why-position', text: 'Wie wahrscheinlich jeder Ort ist' };
    expect(await faultsInGerman(app, hash, token, german)).to.deep.equal([]);
  });
});
