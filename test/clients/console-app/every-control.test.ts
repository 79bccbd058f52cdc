import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { sealBatch } from '../../../domain/moves/sealing/seal-batch.ts';
import { until } from '../../support/browser.ts';
import { useConsoleApp } from '../../support/console-app.ts';
import { itByNight, randomSets } from '../../support/random-sets.ts';
import { aRead, record } from '../../support/recording.ts';
import { Site } from '../../support/site.ts';

/** Where a walk begins, besides at the rail: what links that were sent may lead to. */
const SENT = ['#/assets?open=new', '#/places?open=new', '#/plan?open=new', '#/import', '#/settings/users'];

const MOST_KINDS = Math.max(30, randomSets(60));

/** Counts requests under way, so that a walk knows when a page has settled. */
const COUNTED_FETCH = `(() => {
  const send = window.fetch;
  window.underWay = 0;
  window.fetch = (...given) => {
    window.underWay += 1;
    return send(...given).finally(() => { window.underWay -= 1; });
  };
})()`;

const SETTLED = `window.underWay === 0 && document.querySelector('.loading, .waiting, [aria-busy="true"]') === null`;

/** The same for addresses that differ in what is shown, and in the order of their parts. */
function kindOf(hash: string): string {
  const [path = '', query = ''] = hash.replace(/\d+/g, 'N').split('?');
  const parts = query.split('&').filter((part) => !/^(q|sort|page|from|to|actor|cursor|N)=/.test(part));
  return [path, ...parts.map((part) => part.replace(/^why=.*/, 'why')).sort()].join(' ');
}

/** Goes there as a link does, and lets the screen begin. */
const AT = (hash: string) => `new Promise((resolve) => {
  location.hash = ${JSON.stringify(hash)};
  requestAnimationFrame(() => requestAnimationFrame(resolve));
})`;

const LINKS = `[...document.querySelectorAll('a[href^="#/"]')].map((link) => link.getAttribute('href'))`;

/** Fills in what is empty and presses every button of the screen, and the last one of every question. */
const PRESS_ALL = `(async () => {
  const drawn = () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  const pressed = new Set();
  for (let turn = 0; turn < 40; turn += 1) {
    for (const field of document.querySelectorAll('main :is(input, textarea), dialog :is(input, textarea)')) {
      if (field.value === '' && !field.readOnly && !field.disabled && ['text', 'textarea'].includes(field.type)) {
        field.value = 'X-1';
        field.dispatchEvent(new Event('input', { bubbles: true }));
      }
    }
    const sure = document.querySelector('dialog[role=alertdialog] button:last-of-type');
    const all = [...document.querySelectorAll('main button, dialog button')];
    const next = sure ?? all.find((button) => !button.disabled && !pressed.has(button) && button.offsetParent !== null
      && button.getAttribute('aria-label') !== 'Close');
    if (next === undefined) break;
    pressed.add(next);
    next.click();
    await drawn();
  }
  return pressed.size;
})()`;

describe('every control of the console', () => {
  const app = useConsoleApp();
  let site: Site;

  before(async () => {
    site = await Site.create(app.database, 'Acme');
    const locationId = await site.location('DOCK');
    const readerId = await site.reader('gate', [locationId]);
    await site.asset('PALLET', 'E28011');
    const read = { orgId: site.orgId, readerId, locationId, at: Date.now() * 1_000, rssi: -50 };
    await record(app.database, [aRead({ ...read, value: 'E28011' }), aRead({ ...read, value: 'E2809999' })]);
    await sealBatch(app.database.pool, [{ orgId: site.orgId, after: 0, share: 1_000 }]);
  });

  /** Goes to every screen that links lead to, and presses all there. */
  async function walk(page: Page): Promise<{ visited: string[]; pressed: number }> {
    const kinds = new Set<string>();
    const visited: string[] = [];
    const ahead = [...SENT];
    let pressed = 0;
    for (let hash: string | undefined = '#/now'; hash !== undefined; hash = ahead.shift()) {
      const kind = kindOf(hash);
      if (kinds.has(kind) || kinds.size >= MOST_KINDS) {
        continue;
      }
      kinds.add(kind);
      visited.push(hash);
      await page.evaluate(AT(hash));
      await until(page, `document.querySelector('main') !== null && ${SETTLED}`);
      ahead.push(...(await page.evaluate<string[]>(LINKS)));
      pressed += await page.evaluate<number>(PRESS_ALL);
      await until(page, 'window.underWay === 0');
    }
    return { visited, pressed };
  }

  for (const role of ['viewer', 'operator'] as const) {
    const test = role === 'viewer' ? it : itByNight;
    test(`does something that ${role === 'viewer' ? 'a viewer' : 'an operator'} may do, or is not shown`, async () => {
      const page = await app.open('#/now', await app.as(role, site.orgId));
      const refused: string[] = [];
      page.on('response', (response) => {
        if (response.status() === 403) {
          refused.push(`${response.request().method()} ${response.url().slice(app.url.length)}`);
        }
      });
      await page.addInitScript(COUNTED_FETCH);
      await page.reload();
      const { visited, pressed } = await walk(page);
      expect(refused).to.deep.equal([]);
      expect(visited.length).to.be.greaterThan(12);
      expect(pressed).to.be.greaterThan(10);
    });
  }
});
