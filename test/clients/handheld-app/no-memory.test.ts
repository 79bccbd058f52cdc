import { useBrowser } from '../../support/browser.ts';
import { useGateway } from '../../support/gateway.ts';
import { HandheldApp } from '../../support/handheld-app.ts';

describe('the handheld app in a browser that keeps nothing', () => {
  const gateway = useGateway();
  const browser = useBrowser();

  for (const [what, fault] of [
    ['refuses', `indexedDB.open = () => { throw new DOMException('Denied by policy', 'SecurityError'); };`],
    ['knows of no memory', `Object.defineProperty(globalThis, 'indexedDB', { value: undefined });`],
  ] as const) {
    it(`says what is wrong and what to do where the browser ${what}, and starts once that is mended`, async () => {
      const device = await browser.device();
      await device.context.addInitScript(`if (location.hash !== '#mended') { ${fault} }`);
      const app = await HandheldApp.open(device, gateway.url);
      await app.shows('This browser stores nothing on the device');
      await app.shows('Allow this page to store data');
      await app.page.evaluate(`location.hash = 'mended'`);
      await app.press('Try again');
      await app.page.getByLabel('Token of this handheld').waitFor();
    });
  }
});
