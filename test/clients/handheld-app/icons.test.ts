import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import type { Browser } from 'playwright-core';
import { APP_FOLDER } from '../../../clients/handheld-app/build/build-app.ts';
import { launch } from '../../support/browser.ts';
import { buildAppIfStale } from '../../support/built-app.ts';
import { ICON_FOLDER, paintIcons } from '../../support/paint-icons.ts';

describe('the icons of the handheld app', () => {
  let browser: Browser;

  before(async () => {
    await buildAppIfStale();
    browser = await launch();
  });
  after(() => browser?.close());

  it('show what the drawing shows (`npm run icons` paints them anew)', async () => {
    const painted = await paintIcons(browser);
    for (const [name, png] of painted) {
      const kept = await readFile(ICON_FOLDER + name);
      // Browsers differ in how they smooth edges.
      expect(await difference(png, kept), name).to.be.below(0.01);
    }
    const [[, one = Buffer.alloc(0)] = [], , [, cut = Buffer.alloc(0)] = []] = painted;
    expect(await difference(one, cut)).to.be.above(0.01);
  });

  it('are all there for those that the page and the manifest name', async () => {
    const files = await Promise.all(
      ['index.html', 'manifest.webmanifest'].map((file) => readFile(`${APP_FOLDER}/${file}`, 'utf8')),
    );
    const named = new Set(files.join().match(/[\w-]+\.(?:png|svg)/g));
    expect([...named].sort()).to.deep.equal([
      'apple-touch-icon.png',
      'icon-192.png',
      'icon-512.png',
      'icon-maskable-512.png',
      'icon.svg',
    ]);
    for (const name of named) {
      expect(await readFile(`${APP_FOLDER}/${name}`), name).to.deep.equal(await readFile(ICON_FOLDER + name));
    }
  });

  /** The share of pixels that differ visibly; 1 if the sizes do. */
  async function difference(one: Buffer, other: Buffer): Promise<number> {
    const page = await browser.newPage();
    try {
      return await page.evaluate<number>(`(async () => {
        const pixels = async (base64) => {
          const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
          const image = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
          const context = new OffscreenCanvas(image.width, image.height).getContext('2d');
          context.drawImage(image, 0, 0);
          return context.getImageData(0, 0, image.width, image.height).data;
        };
        const [a, b] = [await pixels('${one.toString('base64')}'), await pixels('${other.toString('base64')}')];
        if (a.length !== b.length) return 1;
        let different = 0;
        for (let at = 0; at < a.length; at += 4) {
          different += [0, 1, 2, 3].some((channel) => Math.abs(a[at + channel] - b[at + channel]) > 24) ? 1 : 0;
        }
        return different / (a.length / 4);
      })()`);
    } finally {
      await page.close();
    }
  }
});
