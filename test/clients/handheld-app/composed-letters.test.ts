import { useBrowser } from '../../support/browser.ts';
import { useGateway } from '../../support/gateway.ts';
import { HandheldApp } from '../../support/handheld-app.ts';

/** Letters with accents are one character, as most keyboards type them, or two, as in file names of Macs. */
const COMPOSED = 'Caf\u00e9';
const DECOMPOSED = 'Cafe\u0301';

describe('searching in the handheld app for a name that is composed otherwise', () => {
  const gateway = useGateway();
  const browser = useBrowser();
  let app: HandheldApp;

  before(async () => {
    const { site, database } = gateway;
    for (const [key, name] of [
      ['ONE', `${COMPOSED} Nord`],
      ['TWO', `${DECOMPOSED} Nord`],
      ['STREET', 'Hauptstra\u00dfe'],
      ['PLAIN', 'Plain'],
    ]) {
      const location = await site.location(`PLACE-${key}`);
      await database.rows('update locations set name = $2 where id = $1', [location, name]);
      const asset = await site.asset(`ASSET-${key}`, `TAG-${key}`, 'barcode');
      await database.rows('update assets set name = $2 where id = $1', [asset, name]);
    }
  });

  beforeEach(async () => {
    app = await HandheldApp.signedIn(await browser.device(), gateway.url, gateway.token);
  });

  const finds = async (label: string, kind: string) => {
    const box = app.page.getByLabel(label);
    const shown = (key: string) => app.page.getByText(`${kind}-${key}`).first();
    for (const [words, keys] of [
      [COMPOSED, ['ONE', 'TWO']],
      [DECOMPOSED, ['ONE', 'TWO']],
      [COMPOSED.toUpperCase(), ['ONE', 'TWO']],
      ['HAUPTSTRASSE', ['STREET']],
    ] as const) {
      await box.fill('plain');
      await shown('PLAIN').waitFor();
      await shown(keys[0]).waitFor({ state: 'detached' });
      await box.fill(words);
      for (const key of keys) {
        await shown(key).waitFor();
      }
    }
  };

  it('finds assets in both spellings by either', async () => {
    await app.goTo('Find');
    await finds('Name, key or tag', 'ASSET');
  });

  it('finds places in both spellings by either', async () => {
    await app.page.locator('.place-bar').click();
    await finds('Search places', 'PLACE');
  });
});
