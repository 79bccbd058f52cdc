import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { useApi } from '../../support/api.ts';
import { screenshot, useBrowser } from '../../support/browser.ts';
import { violationsIn } from '../../support/screen-states.ts';

/** 320 is a desktop enlarged to four times its size (WCAG 2.2, 1.4.10), 195 a phone to twice. */
const LAYOUTS = {
  desk: { width: 1280, height: 900 },
  phone: { width: 390, height: 844 },
  'enlarged desk': { width: 320, height: 256 },
  'enlarged phone': { width: 195, height: 422 },
};

describe('the page for people, in a browser', () => {
  const api = useApi();
  const browser = useBrowser();

  const open = async (fragment = ''): Promise<{ page: Page; asked: string[] }> => {
    const device = await browser.device();
    const asked: string[] = [];
    device.context.on('request', (request) => {
      if (!request.url().startsWith('data:')) {
        asked.push(request.url());
      }
    });
    return { page: await device.open(`${api.url}/api/docs${fragment}`), asked };
  };

  for (const theme of ['light', 'dark'] as const) {
    it(`is accessible to everyone, and never scrolled sideways, in its ${theme} theme`, async () => {
      const { page } = await open();
      await page.emulateMedia({ colorScheme: theme });
      for (const [layout, size] of Object.entries(LAYOUTS)) {
        await page.setViewportSize(size);
        expect(await violationsIn(page, null), layout).to.deep.equal([]);
        expect(await page.evaluate('document.documentElement.scrollWidth'), layout).to.equal(size.width);
        await screenshot(page, `docs/${theme}/${layout}`);
      }
    });
  }

  it('asks for nothing beside itself', async () => {
    const { asked } = await open();
    expect(asked).to.deep.equal([`${api.url}/api/docs`]);
  });

  for (const id of ['errors', 'paging-and-sorting', 'renameAsset', 'Location']) {
    it(`shows #${id} below its bar to whoever follows a link there`, async () => {
      const { page } = await open(`#${id}`);
      const [top = 0, bar = 0] = await page.evaluate<number[]>(
        `[document.getElementById('${id}').querySelector('h2, h3').getBoundingClientRect().top,
          document.querySelector('.top').getBoundingClientRect().bottom]`,
      );
      expect(top).to.be.within(bar, 400);
    });
  }
});
