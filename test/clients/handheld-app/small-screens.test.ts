import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { ulid } from 'ulid';
import { untilAtRest, useBrowser } from '../../support/browser.ts';
import { useGateway } from '../../support/gateway.ts';
import { HandheldApp } from '../../support/handheld-app.ts';
import { byTurns } from '../../support/random-sets.ts';

const AXE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

const tag = (number: number) => `E2801160000002091234${String(number).padStart(4, '0')}`;

/** `letters`: their size, of what the browser takes for normal. `isTight`: some things have to be scrolled to. */
const SCREENS = [
  { what: 'a phone held across', width: 844, height: 390 },
  { what: 'a small phone held across', width: 640, height: 320 },
  { what: 'a handheld with keys', width: 320, height: 568 },
  { what: 'a phone at 150 %', width: 260, height: 563 },
  { what: 'a phone at 200 %', width: 195, height: 422, isTight: true },
  { what: 'a phone with letters of 200 %', width: 390, height: 844, letters: '200%', isTight: true },
];

for (const { what, width, height, letters = '100%', isTight = false } of byTurns(SCREENS, 'keys')) {
  describe(`the handheld app on ${what}, ${width} by ${height}`, () => {
    const gateway = useGateway();
    const browser = useBrowser();
    let app: HandheldApp;

    before(async () => {
      const { site, database } = gateway;
      const dock = await site.location('DOCK-1');
      await database.rows('update locations set name = $1 where id = $2', [
        'Dock 1, north side, by the long ramp to the yard',
        dock,
      ]);
      for (const number of [1, 2, 3, 4]) {
        await site.asset(`PALLET-${number}`, tag(number));
      }
      const at = new Date().toISOString();
      const scans = [1, 2, 3].map((number) => ({ tag_type: 'rfid', value: tag(number), observed_at: at }));
      await gateway.submit({ submission_id: ulid(), sent_at: at, location: { id: dock }, scans });
    });

    beforeEach(async () => {
      const device = await browser.device({ viewport: { width, height }, serviceWorkers: 'block' });
      app = await HandheldApp.signedIn(device, gateway.url, gateway.token);
      await app.page.evaluate(`document.documentElement.style.fontSize = '${letters}'`);
      await app.choosePlace('Dock 1');
    });

    it('shows what became of a scan, and has all ways to scan within the screen and in reach', async () => {
      await app.scan(tag(1));
      await app.tells('seen');
      expect(await isOpenToView('.tag-word')).to.equal(true);
      expect(await beyondTheEdge()).to.deep.equal([]);
      await app.page.getByRole('radio', { name: 'BLE' }).check();
      await app.press('Camera');
      expect(await beyondTheEdge()).to.deep.equal([]);
      await app.press('Close');
      await app.type(tag(2));
      await app.page.locator(`[data-latest="${tag(2)}"]`).waitFor();
    });

    it('shows what became of a scan and how many are found in a sweep, whatever the place is called', async () => {
      await app.goTo('Sweep');
      expect(await beyondTheEdge()).to.deep.equal([]);
      await app.page.getByRole('button', { name: 'Sweep Dock 1' }).click();
      await app.shows('Scan all you find');
      await app.scan(tag(1));
      await app.tells('seen');
      expect(await isOpenToView('.tag-flat')).to.equal(true);
      expect(await beyondTheEdge()).to.deep.equal([]);
      if (!isTight) {
        expect(await isOpenToView('.heap-word')).to.equal(true);
      }
      await app.page.getByRole('button', { name: 'Unknown' }).click();
      await app.press('Finish');
      await app.shows('2 of 3 missing');
      expect(await beyondTheEdge()).to.deep.equal([]);
      await app.press('Done');
    });

    it('has the count of what waits within its width while nothing can be sent', async () => {
      await app.page.route('**/submissions', (route) => route.fulfill({ status: 502, body: 'Bad Gateway' }));
      await app.scan(tag(1));
      await app.shows('No answer · 1 waiting');
      expect(await beyondTheEdge()).to.deep.equal([]);
    });

    it('keeps the other screens within its width, and scrolls them by keys', async () => {
      for (const number of [1, 2, 3, 4]) {
        await app.scan(tag(number));
      }
      await app.waits(0);
      await app.page.locator('.place-bar').click();
      await app.shows('as of');
      expect(await beyondTheEdge()).to.deep.equal([]);
      await app.goTo('Settings');
      expect(await beyondTheEdge()).to.deep.equal([]);
      await app.goTo('History');
      await app.page.locator('.row').first().waitFor();
      expect(await beyondTheEdge()).to.deep.equal([]);
      await app.page.evaluate(AXE);
      const rule = `axe.run(document, { runOnly: ['scrollable-region-focusable'] })`;
      expect(
        await app.page.evaluate(`${rule}.then(({ violations }) => violations.map(({ id }) => id))`),
      ).to.deep.equal([]);
    });

    /** Whether the first of these is in sight without scrolling, with nothing over it. */
    async function isOpenToView(selector: string): Promise<boolean> {
      await untilAtRest(app.page);
      return app.page.evaluate<boolean>(`(() => {
        const shown = document.querySelector('${selector}');
        const { left, right, top, bottom } = shown.getBoundingClientRect();
        return [top + 1, (top + bottom) / 2, bottom - 1].every((y) => {
          const on = document.elementFromPoint((left + right) / 2, y);
          return on !== null && shown.contains(on);
        });
      })()`);
    }

    /** What is cut by a side of the screen, or of the panel over it. */
    async function beyondTheEdge(): Promise<string[]> {
      await untilAtRest(app.page);
      return app.page.evaluate<string[]>(`(() => {
        const around = document.querySelector('dialog') ?? document.body;
        return [...around.querySelectorAll('*')]
          .filter((element) => {
            const { left, right, width } = element.getBoundingClientRect();
            return width > 1 && (left < 0 || right > ${width});
          })
          .map(({ outerHTML }) => outerHTML.slice(0, 80));
      })()`);
    }
  });
}
