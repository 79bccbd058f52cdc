import type { Page } from 'playwright-core';
import { useConsoleApp } from '../../support/console-app.ts';
import { itByNight } from '../../support/random-sets.ts';
import { Site } from '../../support/site.ts';

/** Letters with accents are one character, as most keyboards type them, or two, as in file names of Macs. */
const COMPOSED = 'Caf\u00e9';
const DECOMPOSED = 'Cafe\u0301';

describe('searching in the console for a name that is composed otherwise', () => {
  const app = useConsoleApp();
  let site: Site;
  let page: Page;

  before(async () => {
    site = await Site.create(app.database, 'Acme');
    const plain = await site.location('PLAIN');
    for (const [key, name] of [
      ['ONE', `${COMPOSED} Nord`],
      ['TWO', `${DECOMPOSED} Nord`],
      ['STREET', 'Hauptstra\u00dfe'],
    ]) {
      const location = await site.location(`PLACE-${key}`);
      await app.database.rows('update locations set name = $2 where id = $1', [location, name]);
      const asset = await site.asset(`ASSET-${key}`, `TAG-${key}`, 'barcode');
      await app.database.rows('update assets set name = $2 where id = $1', [asset, name]);
      const reader = await site.reader(`reader-${key}`, [plain]);
      await app.database.rows('update readers set name = $2 where id = $1', [reader, name]);
    }
    await site.asset('ASSET-PLAIN', 'E2801199');
    await site.reader('reader-PLAIN', [plain]);
  });

  afterEach(() => page.context().close());

  for (const [path, of] of [
    ['#/assets', ['ASSET-ONE', 'ASSET-TWO']],
    ['#/places', ['PLACE-ONE', 'PLACE-TWO']],
    ['#/places?view=tree', ['PLACE-ONE', 'PLACE-TWO']],
    ['#/find', ['ASSET-ONE', 'ASSET-TWO']],
    ['#/readers', ['2 in all']],
  ] as const) {
    const test = path === '#/assets' ? it : itByNight;
    test(`finds both spellings by either: ${path}`, async () => {
      page = await app.open(path, await app.as('admin', site.orgId));
      const box = page.locator('main').getByRole('searchbox').first();
      const shown = (text: string) => page.locator('main').getByText(text).first();
      for (const words of [COMPOSED, DECOMPOSED, COMPOSED.toUpperCase()]) {
        await box.fill('plain');
        await shown(of[0]).waitFor({ state: 'detached' });
        await box.fill(words);
        for (const each of of) {
          await shown(each).waitFor();
        }
      }
    });
  }
});
