import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { ulid } from 'ulid';
import { createHandheld } from '../../../services/handheld-gateway/devices/create-handheld.ts';
import { revokeHandheld } from '../../../services/handheld-gateway/devices/revoke-handheld.ts';
import { type Device, scanByWedge, screenshot, until, useBrowser } from '../../support/browser.ts';
import { useGateway } from '../../support/gateway.ts';
import { HandheldApp } from '../../support/handheld-app.ts';

const AXE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

/** All that WCAG 2.2 asks at level AA and that a program can tell, and what axe calls good practice. */
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

const ASSETS = [
  'Euro pallet 1',
  'Euro pallet 2',
  'Blue tote 3',
  'Forklift 4',
  'Cable, 400 m',
  'Pump housing',
];
const tag = (number: number) => `E2801160000002091234${String(number).padStart(4, '0')}`;

for (const theme of ['light', 'dark'] as const) {
  describe(`the screens of the handheld app, ${theme}`, () => {
    const gateway = useGateway();
    const browser = useBrowser();
    let device: Device;
    let app: HandheldApp;

    before(async () => {
      const { site } = gateway;
      const hall = await place('North warehouse');
      const dock = await place('Dock 1', hall);
      await site.tag({ locationId: dock }, 'LOC-DOCK-1', 'barcode');
      const aisle = await place('Aisle A', hall);
      await place('Shelf A1', aisle);
      await place('Shelf A2', aisle);
      await place('Yard');
      for (const [index, name] of ASSETS.entries()) {
        const id = await site.asset(keyOf(name), tag(index));
        await gateway.database.rows('update assets set name = $1 where id = $2', [name, id]);
      }
      const at = new Date().toISOString();
      const scans = ASSETS.map((_, index) => ({ tag_type: 'rfid', value: tag(index), observed_at: at }));
      await gateway.submit({ submission_id: ulid(), sent_at: at, location: { id: dock }, scans });
    });

    beforeEach(async () => {
      device = await browser.device({ colorScheme: theme });
    });

    const signedIn = async () => {
      app = await HandheldApp.signedIn(device, gateway.url, gateway.token);
    };

    it('sign in: empty, and with a fault', async () => {
      app = await HandheldApp.open(device, gateway.url);
      await app.shows('Token of this handheld');
      await look('sign-in');
      await app.signIn('hello');
      await app.shows('That is not a handheld’s token.');
      await look('sign-in-fault');
    });

    it('scan: ready, and with each kind of result', async () => {
      await signedIn();
      await look('scan-ready');
      await app.scan('LOC-DOCK-1');
      await app.tells('place');
      await look('scan-place');
      await app.scan(tag(0));
      await app.tells('seen');
      await look('scan-seen');
      await app.choosePlace('Shelf A1');
      await app.scan(tag(1));
      await app.tells('moved');
      await look('scan-moved');
      await app.scan('4006381333931');
      await app.tells('problem');
      await look('scan-unknown');
      await device.context.setOffline(true);
      await app.shows('Offline');
      await app.scan(tag(2));
      await app.tells('queued');
      await look('scan-offline');
    });

    it('scan: without a place, and with the question where that was', async () => {
      await signedIn();
      await device.context.setOffline(true);
      await app.scan(tag(2));
      await app.tells('problem');
      await look('scan-no-place');
      await app.choosePlace('Dock 1');
      await app.shows('1 scan has no place yet.');
      await look('scan-unplaced');
    });

    it('a browser that keeps nothing', async () => {
      await device.context.addInitScript(
        `indexedDB.open = () => { throw new DOMException('Denied', 'SecurityError'); };`,
      );
      app = await HandheldApp.open(device, gateway.url);
      await app.shows('This browser keeps nothing');
      await look('no-memory');
    });

    it('the panels for typing and for the camera', async () => {
      await signedIn();
      await app.press('Type');
      await look('type');
      await app.press('Close');
      await app.press('Camera');
      await app.shows('This browser cannot read codes with the camera');
      await look('camera');
    });

    it('places: the roots, and inside one', async () => {
      await signedIn();
      await app.page.locator('.place-bar').click();
      await app.shows('Yard');
      await look('places');
      await app.page.getByRole('button', { name: '2 places in North warehouse' }).click();
      await look('places-inside');
    });

    it('sweep: before, in the middle, and over', async () => {
      await signedIn();
      await app.goTo('Sweep');
      await look('sweep-no-place');
      await app.choosePlace('Dock 1');
      await app.goTo('Sweep');
      await look('sweep-begin');
      await app.press('Sweep Dock 1');
      await app.shows('Scan all you find');
      for (const value of [tag(0), tag(3), 'STRANGER', tag(4)]) {
        await app.scan(value);
      }
      await app.waits(0);
      await look('sweep');
      await app.press('Finish');
      await app.shows('Sweep finished');
      await look('sweep-over');
    });

    it('history: with a refusal, and settings', async () => {
      const { database } = gateway;
      const gone = await place('Gate 7');
      await signedIn();
      await app.choosePlace('Dock 1');
      await app.scan(tag(0));
      await app.scan('4006381333931');
      await app.waits(0);
      await app.choosePlace('Gate 7');
      await database.rows('update locations set deleted_at = now() where id = $1', [gone]);
      await app.scan(tag(5));
      await app.shows('refused, see history');
      await app.goTo('History');
      await app.shows('1 scan refused');
      await look('history-refused');
      await app.goTo('Settings');
      await look('settings');
    });

    it('a token that was revoked', async () => {
      const { id, token } = await createHandheld(gateway.database.pool, {
        orgId: gateway.site.orgId,
        name: 'lost',
      });
      app = await HandheldApp.signedIn(device, gateway.url, token);
      await revokeHandheld(gateway.database.pool, id);
      await scanByWedge(app.page, tag(0));
      await app.shows('Please sign in again');
      await look('sign-in-again');
    });

    it('leads the focus through a screen in the order of what is seen', async () => {
      await signedIn();
      const order: string[] = [];
      for (let step = 0; step < 10; step++) {
        await app.page.keyboard.press('Tab');
        order.push(await app.page.evaluate<string>(FOCUSED));
      }
      expect(order).to.deep.equal([
        'tagtrail, to the scan screen',
        'All sent',
        'No place yet Where are you?',
        'auto',
        'Camera',
        'Type',
        'Scan',
        'Sweep',
        'History',
        'Settings',
      ]);
    });

    async function place(name: string, parent: number | null = null): Promise<number> {
      const id = await gateway.site.location(keyOf(name), parent);
      await gateway.database.rows('update locations set name = $1 where id = $2', [name, id]);
      return id;
    }

    /** Checks a screen with axe, and keeps how it looks. */
    async function look(name: string): Promise<void> {
      expect(await violations(app.page), name).to.deep.equal([]);
      await screenshot(app.page, `${theme}/${name}`);
    }
  });
}

const keyOf = (name: string) => name.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '-');

const FOCUSED = `(() => {
  const { ariaLabel, innerText, value } = document.activeElement;
  return (ariaLabel ?? (innerText || value)).replace(/\\s+/g, ' ').trim();
})()`;

interface AxeAnswer {
  passed: string[];
  found: { id: string; nodes: { html: string; failureSummary: string }[] }[];
}

/** What axe has against the page. It comes in by the debugger, past the page's security policy. */
async function violations(page: Page): Promise<string[]> {
  // What is half faded in has no contrast yet.
  await until(page, 'document.getAnimations().every(({ playState }) => playState === "finished")');
  await page.evaluate(AXE);
  const options = JSON.stringify({ runOnly: RULES });
  const { passed, found } = await page.evaluate<AxeAnswer>(
    `axe.run(document, ${options}).then(({ passes, violations }) =>
       ({ passed: passes.map(({ id }) => id), found: violations }))`,
  );
  expect(passed).to.include.members(['color-contrast', 'target-size']);
  return found.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html}\n${failureSummary}`),
  );
}
