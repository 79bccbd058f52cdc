import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { sealBatch } from '../../../domain/moves/sealing/seal-batch.ts';
import { faultsOf, useConsoleApp } from '../../support/console-app.ts';
import { aRead, record, storedHistory } from '../../support/recording.ts';
import { Site } from '../../support/site.ts';

const SECOND = 1_000_000;
const HOUR = 3_600 * SECOND;

describe('smoothing in the console, in a browser', () => {
  const app = useConsoleApp();
  const { database } = app;
  let site: Site;
  let token: string;
  const place = { dock: 0, gate: 0 };
  const reader = { dock: 0, gate: 0 };
  const asset = { cart: 0, truck: 0 };
  const begun = Date.now() * 1_000 - HOUR;
  const read = (value: string, at: 'dock' | 'gate', time: number) =>
    record(database, [
      aRead({
        ...{ orgId: site.orgId, value, at: time, rssi: at === 'dock' ? -58 : -60 },
        ...{ readerId: reader[at], locationId: place[at] },
      }),
    ]);
  /** Reads by turns at the dock and at the gate, two at each, three seconds apart. */
  const flap = async (value: string, from: number, turns: number) => {
    for (let index = 0; index < turns * 2; index++) {
      await read(value, Math.floor(index / 2) % 2 === 0 ? 'dock' : 'gate', from + index * 3 * SECOND);
    }
  };

  before(async () => {
    site = await Site.create(database, 'Acme');
    token = await app.as('admin', site.orgId);
    place.dock = await site.location('DOCK-1');
    place.gate = await site.location('GATE-2');
    reader.dock = await site.reader('dock', [place.dock]);
    reader.gate = await site.reader('gate', [place.gate]);
    asset.cart = await site.asset('CART-7', 'CART7');
    asset.truck = await site.asset('TRUCK-1', 'TRUCK1');
    for (let round = 0; round < 6; round++) {
      await flap('CART7', begun + round * 300 * SECOND, 4);
    }
    // It goes, and stays.
    for (const [index, at] of (['gate', 'gate', 'dock', 'dock', 'dock'] as const).entries()) {
      await read('TRUCK1', at, begun + index * 4 * SECOND);
    }
    await sealBatch(database.pool, [{ orgId: site.orgId, after: 0, share: 1_000 }]);
  });

  it('says where assets go to and fro, and shows a viewer what is in force, and nothing to change it', async () => {
    const page = await app.open('#/smoothing', await app.as('viewer', site.orgId));
    await page.getByText('Every read counts.').waitFor();
    await page.getByRole('heading', { name: 'Back and forth in the last 24 hours' }).waitFor();
    await page.getByRole('link', { name: 'DOCK-1' }).first().waitFor();
    expect(await page.getByRole('button', { name: 'Try', exact: true }).count()).to.equal(0);
    expect(await page.getByRole('link', { name: /Begin here/ }).count()).to.equal(0);
  });

  it('tunes places that flap, after which later reads no longer move what lies between them', async () => {
    const page = await app.open('#/smoothing', token);
    await page.getByRole('link', { name: 'Begin here: DOCK-1 and GATE-2' }).waitFor();
    const found = await faultsOf(page, 'smoothing-begin');
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByRole('link', { name: 'Begin here: DOCK-1 and GATE-2' }).click();
    await page.getByRole('heading', { name: 'What would change' }).waitFor();
    expect(await countOf(page, 'Moves now')).to.be.above(10);
    expect(await countOf(page, 'Moves then')).to.equal(1);
    expect(await page.locator('.smoothing-side [role=status]').textContent()).to.include('1 then');
    await page.locator('.smoothing-asset', { hasText: 'CART-7' }).locator('.bar').first().waitFor();
    await page.getByText('Goes', { exact: true }).first().waitFor();
    found.push(...(await faultsOf(page, 'smoothing-tried')));
    await page.setViewportSize({ width: 1280, height: 800 });

    // The address has all of it.
    const link = await page.evaluate<string>('location.hash');
    const again = await app.open(link, token);
    await again.getByRole('heading', { name: 'What would change' }).waitFor();
    expect(await again.getByLabel('Window, s').inputValue()).to.equal('30');
    await again.close();

    // By keys: another window, tried by Enter.
    await tabTo(page, 'Window, s');
    await page.keyboard.press('Control+a');
    await page.keyboard.type('601');
    await page.keyboard.press('Enter');
    expect(await page.evaluate<boolean>('document.activeElement.validity.valid')).to.equal(false);
    await page.keyboard.press('Control+a');
    await page.keyboard.type('40');
    await page.keyboard.press('Enter');
    await page.waitForURL(/window=40/);
    await page.getByRole('heading', { name: 'What would change' }).waitFor();
    await tabTo(page, 'Use from now on');
    await page.keyboard.press('Enter');
    await page.getByRole('alertdialog').waitFor();
    await tabTo(page, 'Use from now on');
    await page.keyboard.press('Enter');
    await page.getByText('within 40 s.').first().waitFor();
    await page.getByRole('heading', { name: 'Settings so far' }).waitFor();
    await page.getByRole('cell', { name: 'Somebody' }).waitFor();
    expect(found).to.deep.equal([]);

    const before = await storedHistory(database, asset.cart);
    await flap('CART7', (Date.now() + 60_000) * 1_000, 6);
    expect((await storedHistory(database, asset.cart)).length).to.be.at.most(before.length + 1);
  });

  it('shows what is wrong with a setting at its field', async () => {
    const page = await app.open('#/smoothing?mode=on&window=10&min=11', token);
    await page.locator('.fault', { hasText: 'from 1 to 10, the window' }).waitFor();
  });
});

async function countOf(page: Page, word: string): Promise<number> {
  return Number(
    await page
      .locator('.smoothing-counts > div', { has: page.getByText(word, { exact: true }) })
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
