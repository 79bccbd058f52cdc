import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { sealBatch } from '../../../domain/moves/sealing/seal-batch.ts';
import { faultsInGerman, faultsOf, useConsoleApp } from '../../support/console-app.ts';
import { itByNight } from '../../support/random-sets.ts';
import { aRead, record } from '../../support/recording.ts';
import { Site } from '../../support/site.ts';

const SECOND = 1_000_000;
const HOUR = 3_600 * SECOND;

describe('how locations are decided on, in the console, in a browser', () => {
  const app = useConsoleApp();
  const { database } = app;
  let site: Site;
  let token: string;
  const place = { dock: 0, gate: 0 };
  const reader = { dock: 0, gate: 0 };
  const asset = { cart: 0, truck: 0 };
  const begun = Date.now() * 1_000 - HOUR;
  const read = (value: string, at: 'dock' | 'gate', time: number, rssi = -58) =>
    record(database, [
      aRead({
        ...{ orgId: site.orgId, value, at: time, rssi },
        ...{ readerId: reader[at], locationId: place[at] },
      }),
    ]);
  /** It lies at the dock: each second the dock hears it, and the gate more faintly. */
  const flap = async (value: string, from: number, seconds: number) => {
    for (let second = 0; second < seconds; second++) {
      await read(value, 'dock', from + second * SECOND);
      await read(value, 'gate', from + second * SECOND + SECOND / 2, -72);
    }
  };

  before(async () => {
    site = await Site.create(database, 'Acme');
    token = await app.as('admin', site.orgId);
    const hall = await site.location('HALL');
    place.dock = await site.location('DOCK-1', hall);
    place.gate = await site.location('GATE-2', hall);
    reader.dock = await site.reader('dock', [place.dock]);
    reader.gate = await site.reader('gate', [place.gate, await site.location('DESK', hall)]);
    asset.cart = await site.asset('CART-7', 'CART7');
    asset.truck = await site.asset('TRUCK-1', 'TRUCK1');
    await flap('CART7', begun, 15);
    // It goes, and stays.
    for (const [index, at] of (['gate', 'gate', 'dock', 'dock', 'dock'] as const).entries()) {
      await read('TRUCK1', at, begun + index * 40 * SECOND);
    }
    await sealBatch(database.pool, [{ orgId: site.orgId, after: 0, share: 1_000 }]);
  });

  it('says where assets go to and fro, and what strength makes of it, and lets a viewer change nothing', async () => {
    const page = await app.open('#/locating', await app.as('viewer', site.orgId));
    await page.getByText('By every read: an asset is where it was read last.').waitFor();
    await page.getByRole('heading', { name: 'Back and forth in the last 24 hours' }).waitFor();
    await page.getByRole('link', { name: 'DOCK-1' }).first().waitFor();
    await page.getByText('30 moves would have been 1').waitFor();
    await page.getByText('Also changes the moves of DESK').waitFor();
    expect(
      await page
        .getByRole('button')
        .filter({ hasText: /Try|Decide by strength/ })
        .count(),
    ).to.equal(0);
  });

  it('tries a setting, whose link has all of it, and uses it', async () => {
    const page = await app.open('#/locating', token);
    await page.getByRole('link', { name: 'Preview what would change: HALL' }).waitFor();
    const found = await faultsOf(page, 'locating-begin');
    await page.setViewportSize({ width: 390, height: 844 });
    const topOf = async (heading: string) =>
      (await page.getByRole('heading', { name: heading }).boundingBox())?.y ?? 0;
    expect(await topOf('Back and forth in the last 24 hours')).to.be.below(await topOf('Try a setting'));
    const proposed = { name: 'locating-begin', text: 'Aus 30 Bewegungen wären 1 geworden' };
    found.push(...(await faultsInGerman(app, '#/locating', token, proposed)));
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByRole('link', { name: 'Preview what would change: HALL' }).click();
    await page.getByRole('heading', { name: 'What would change' }).waitFor();
    expect(await countOf(page, 'Moves now')).to.equal(30);
    expect(await countOf(page, 'Moves then')).to.equal(1);
    expect(await countOf(page, 'Back within 30 s now')).to.equal(28);
    expect(await countOf(page, 'Back within 30 s then')).to.equal(0);
    expect(await page.locator('.locating-side [role=status]').textContent()).to.include('1 then');
    await page.locator('.locating-asset', { hasText: 'CART-7' }).locator('.bar').first().waitFor();
    await page.getByText('Goes', { exact: true }).first().waitFor();
    found.push(...(await faultsOf(page, 'locating-tried')));
    await page.setViewportSize({ width: 1280, height: 800 });

    // The address has all of it.
    const link = await page.evaluate<string>('location.hash');
    const again = await app.open(link, token);
    await again.getByRole('heading', { name: 'What would change' }).waitFor();
    expect(await again.getByLabel('Certainty').inputValue()).to.equal('1');
    await again.close();
    const tried = { name: 'locating-tried', text: 'Zurück binnen 30 s dann' };
    found.push(...(await faultsInGerman(app, link, token, tried)));

    // By keys: another certainty, tried by Enter.
    await tabTo(page, 'Certainty');
    await page.keyboard.press('Control+a');
    await page.keyboard.type('11');
    await page.keyboard.press('Enter');
    expect(await page.evaluate<boolean>('document.activeElement.validity.valid')).to.equal(false);
    await page.keyboard.press('Control+a');
    await page.keyboard.type('2');
    await page.keyboard.press('Enter');
    await page.waitForURL(/certainty=2/);
    await page.getByRole('heading', { name: 'What would change' }).waitFor();
    await tabTo(page, 'Use from now on');
    await page.keyboard.press('Enter');
    await page.getByRole('alertdialog').waitFor();
    await tabTo(page, 'Use from now on');
    await page.keyboard.press('Enter');
    await page.getByText('heard loudest, with certainty 2.').first().waitFor();
    await page.getByRole('heading', { name: 'Past settings' }).waitFor();
    await page.getByRole('cell', { name: 'Somebody' }).waitFor();
    const inForce = { name: 'locating-set', text: 'am lautesten zu hören ist, mit Sicherheit 2.' };
    found.push(...(await faultsInGerman(app, '#/locating', token, inForce)));
    expect(found).to.deep.equal([]);
  });

  it('removes a setting that is planned', async () => {
    await database.rows(
      `insert into location_settings (org_id, location_id, procedure, valid_from)
       select $1, id, 'every', now() + interval '1 day' from locations where external_key = 'HALL' and org_id = $1`,
      [site.orgId],
    );
    const page = await app.open('#/locating', token);
    await page.getByRole('button', { name: 'Remove planned setting: HALL' }).click();
    await page
      .getByText(/Places with another setting in force are not looked at; the last one began/)
      .waitFor();
    const found = await faultsOf(page, 'locating-planned');
    await page.getByRole('alertdialog').getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByText('HALL: the planned setting is removed').first().waitFor();
    await page.getByText('Planned', { exact: true }).waitFor({ state: 'detached' });
    expect(found).to.deep.equal([]);
  });

  itByNight('compares an asset with the walk of a person who scanned it', async () => {
    await site.asset('WALKER', 'WALKER');
    const person = (at: 'dock' | 'gate', second: number) => ({
      ...aRead({
        ...{ orgId: site.orgId, value: 'WALKER', readerId: 1, locationId: place[at] },
        at: begun + second * SECOND + 1,
      }),
      source: { kind: 'handheld' as const, handheldId: 1, submissionId: 'walk', index: second },
    });
    for (let second = 0; second < 40; second++) {
      const [near, far] = second < 20 ? (['dock', 'gate'] as const) : (['gate', 'dock'] as const);
      await read('WALKER', near, begun + second * SECOND);
      await read('WALKER', far, begun + second * SECOND + SECOND / 2, -75);
    }
    await record(database, [person('dock', 0), person('gate', 20), person('gate', 40)]);
    const page = await app.open('#/locating?place=HALL&by=strength&asset=WALKER', token);
    await page.getByRole('heading', { name: 'Compared with the walk' }).waitFor();
    const row = page.getByRole('row', { name: /GATE-2/ }).first();
    expect(await row.textContent()).to.match(/GATE-2.*20 s.*50 %.*[89]\d %|GATE-2.*20 s.*50 %.*100 %/);
    expect(await faultsOf(page, 'locating-walk')).to.deep.equal([]);
  });

  it('says what a position lacks', async () => {
    const page = await app.open('#/locating?place=HALL&by=position', token);
    const use = async () => {
      await page.getByRole('button', { name: 'Use from now on' }).click();
      const dialog = page.getByRole('alertdialog');
      await dialog.getByRole('button', { name: 'Use from now on' }).click();
    };
    await page.getByLabel('Other kinds of tags').fill('AC233F');
    await use();
    await page.getByText('Write each kind of tag once').first().waitFor();
    await page.getByLabel('Other kinds of tags').fill('AC233F=-65');
    await use();
    await page.getByText('a plan with a scale of HALL').first().waitFor();
  });

  itByNight(
    'proposes strength in the inbox, at the reader and in its steps, and sets it with one click',
    async () => {
      const other = await Site.create(database, 'Beta');
      const admin = await app.as('admin', other.orgId);
      const [a, b] = [await other.location('EAST'), await other.location('WEST')];
      const readerId = await other.reader('beta', [a, b]);
      await other.asset('CART-8', 'CART8');
      for (let index = 0; index < 40; index++) {
        const [locationId, rssi] = index % 2 === 0 ? [a, -58] : [b, -72];
        const at = begun + index * SECOND;
        const antenna = (index % 2) + 1;
        await record(database, [
          aRead({ orgId: other.orgId, readerId, value: 'CART8', at, locationId, antenna, rssi }),
        ]);
      }
      await sealBatch(database.pool, [{ orgId: other.orgId, after: 0, share: 1_000 }]);
      const at = await app.open(`#/readers/${readerId}`, admin);
      await at.getByText('39 moves would have been 0').waitFor();
      const found = await faultsOf(at, 'locating-at-reader');
      await at.close();
      const page = await app.open('#/inbox', admin);
      await page.getByText('39 moves would have been 0').waitFor();
      found.push(...(await faultsOf(page, 'locating-in-inbox')));
      const german = { name: 'locating-in-inbox', text: 'Aus 39 Bewegungen wären 0 geworden' };
      found.push(...(await faultsInGerman(app, '#/inbox', admin, german)));
      const ofReader = { ...german, name: 'locating-at-reader' };
      found.push(...(await faultsInGerman(app, `#/readers/${readerId}`, admin, ofReader)));
      const steps = `#/readers/new?reader=${readerId}&step=antennas`;
      found.push(...(await faultsInGerman(app, steps, admin, { ...german, name: 'locating-in-steps' })));
      expect(found).to.deep.equal([]);
      await page.setViewportSize({ width: 1280, height: 800 });
      await page.getByRole('button', { name: 'Decide by strength: Everywhere' }).dblclick();
      const done = page.getByText('Everywhere: in force from now on');
      await done.first().waitFor();
      await page.getByText('would have been').waitFor({ state: 'detached' });
      const made = await database.rows(
        'select procedure, certainty from location_settings where org_id = $1',
        [other.orgId],
      );
      expect(made).to.deep.equal([{ procedure: 'strength', certainty: 1 }]);
      expect(await done.count(), 'said once').to.equal(1);
    },
  );
});

async function countOf(page: Page, word: string): Promise<number> {
  return Number(
    await page
      .locator('.locating-counts > div', { has: page.getByText(word, { exact: true }) })
      .locator('dd')
      .textContent(),
  );
}

/** Presses Tab until what has `name` has the focus, which must come within one round. */
async function tabTo(page: Page, name: string): Promise<void> {
  const isThere = `(() => {
    const at = document.activeElement;
    return (at?.labels?.[0]?.textContent ?? at?.getAttribute('aria-label') ?? at?.textContent) === ${JSON.stringify(name)};
  })()`;
  for (let tabs = 0; tabs < 120; tabs += 1) {
    if (await page.evaluate<boolean>(isThere)) {
      return;
    }
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab does not come to ${name}`);
}
