import type { Browser } from 'playwright-core';

/** Screens of phones side by side, as they are held. */
export async function inPhones(browser: Browser, screens: readonly Buffer[]): Promise<Buffer> {
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
