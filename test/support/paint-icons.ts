import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright-core';

/** The drawing, and what is painted of it for browsers and systems that take no SVG. */
export const ICON_FOLDER = fileURLToPath(new URL('../../clients/handheld-app/src/icons/', import.meta.url));

/** `padding` is the fraction kept free on each side of an icon that systems cut to a shape of their own. */
const ICONS = [
  { name: 'icon-192.png', size: 192, padding: 0 },
  { name: 'icon-512.png', size: 512, padding: 0 },
  { name: 'icon-maskable-512.png', size: 512, padding: 0.1 },
  { name: 'apple-touch-icon.png', size: 180, padding: 0.04 },
];

export async function paintIcons(browser: Browser): Promise<Map<string, Buffer>> {
  const svg = await readFile(`${ICON_FOLDER}icon.svg`, 'utf8');
  const painted = new Map<string, Buffer>();
  for (const { name, size, padding } of ICONS) {
    const page = await browser.newPage({ viewport: { width: size, height: size }, deviceScaleFactor: 1 });
    await page.setContent(
      `<style>body { margin: 0 } svg { display: block; padding: ${size * padding}px; width: ${size * (1 - 2 * padding)}px }</style>${svg}`,
    );
    if (padding > 0) {
      await page.evaluate(
        `document.body.style.background = document.querySelector('rect').getAttribute('fill')`,
      );
    }
    painted.set(name, await page.screenshot({ omitBackground: true }));
    await page.close();
  }
  return painted;
}
