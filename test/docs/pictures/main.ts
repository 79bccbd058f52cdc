import { mkdir, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright-core';
import { launch } from '../../support/browser.ts';
import { buildAppIfStale, buildConsoleIfStale } from '../../support/built-app.ts';
import { openDemo, whoMovedMost } from './open-demo.ts';
import { DESK, HANDHELD, PHONE, PICTURES } from './pictures.ts';

/** `npm run pictures`: the pictures of README and guides, taken of the demo. Looked at, and then committed. */
const FOLDER = fileURLToPath(new URL('../../../docs/images/', import.meta.url));

await buildAppIfStale();
await buildConsoleIfStale();
await mkdir(FOLDER, { recursive: true });
const browser = await launch();
const demo = await openDemo(browser);
const keep = async (name: string, png: Buffer) => {
  await writeFile(`${FOLDER}${name}.png`, png);
  console.log(`${name}.png  ${(png.length / 1_024).toFixed(0)} kB`);
};
try {
  const asset = await whoMovedMost(demo);
  for (const { name, hash, until, looks, ready } of PICTURES) {
    for (const look of looks) {
      const page = await demo.page({ ...DESK, colorScheme: look }, hash(asset));
      await page.getByText(until(asset)).first().waitFor();
      await ready?.(page);
      await keep(look === 'dark' ? `${name}-dark` : name, await page.screenshot({ animations: 'disabled' }));
      await page.context().close();
    }
  }
  const phones: Buffer[] = [];
  for (const { colorScheme, hash, until } of PHONE) {
    const page = await demo.page({ ...HANDHELD, colorScheme }, hash(asset));
    await page.getByText(until(asset)).first().waitFor();
    await page.waitForTimeout(1_500);
    phones.push(await page.screenshot({ animations: 'disabled' }));
    await page.context().close();
  }
  const handheld = await demo.handheld({ ...HANDHELD, colorScheme: 'light' });
  phones.push(await handheld.screenshot({ animations: 'disabled' }));
  await keep('phones', await inPhones(browser, phones));
} finally {
  await browser.close();
  await demo.close();
}

/** Screens of phones side by side, as they are held. */
async function inPhones(browser: Browser, screens: readonly Buffer[]): Promise<Buffer> {
  const page = await browser.newPage({ viewport: { width: 1000, height: 690 } });
  const images = screens.map((png) => `<img src="data:image/png;base64,${png.toString('base64')}">`);
  await page.setContent(
    `<style>
       body { margin: 0; height: 690px; display: flex; gap: 26px; align-items: center; justify-content: center; background: #cbc2b4 }
       img { width: 296px; height: 592px; border: 6px solid #15140f; border-radius: 26px }
     </style>${images.join('')}`,
  );
  const png = await page.screenshot();
  await page.close();
  return png;
}
