import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { useApi } from '../../support/api.ts';
import { type Device, screenshot, useBrowser } from '../../support/browser.ts';
import { violationsIn } from '../../support/screen-states.ts';

describe('the page for people, in a browser', () => {
  const api = useApi();
  const browser = useBrowser();
  let device: Device;
  let page: Page;
  const asked: { url: string; authorization: string | undefined }[] = [];

  before(async () => {
    device = await browser.device({
      viewport: { width: 1280, height: 900 },
      isMobile: false,
      hasTouch: false,
    });
    device.context.on('request', (request) => {
      const { authorization } = request.headers();
      asked.push({ url: request.url(), authorization });
    });
    page = await device.open(`${api.url}/api/docs`);
  });

  it('runs its own scripts only, asks nobody else, and is framed by nobody', async () => {
    const response = await fetch(`${api.url}/api/docs`);
    await response.body?.cancel();
    const policy = response.headers.get('content-security-policy')?.split('; ');
    expect(policy).to.include.members([
      "default-src 'none'",
      "script-src 'self'",
      "connect-src 'self'",
      "font-src 'self'",
      "frame-ancestors 'none'",
    ]);
  });

  it('explains authentication and errors, and shows every operation', async () => {
    for (const title of ['Authentication', 'Errors', 'Rate limits and sizes', 'Paging and sorting']) {
      await page.getByRole('heading', { name: title, exact: true }).first().waitFor();
    }
    await page.getByText(`BASE_URL=${api.url}`).first().waitFor();
  });

  for (const theme of ['light', 'dark'] as const) {
    it(`can be read by everyone in its ${theme} theme, and fits a phone`, async () => {
      await page.evaluate(`document.body.className = '${theme}-mode'`);
      expect(await violationsIn(page, null)).to.deep.equal([]);
      await page.setViewportSize({ width: 320, height: 256 });
      expect(await page.evaluate('document.documentElement.scrollWidth')).to.equal(320);
      await page.setViewportSize({ width: 1280, height: 900 });
    });
  }

  it('finds an operation, and tries it with a key', async () => {
    await page.getByPlaceholder('Token').first().fill(api.key);
    await page.keyboard.press('Control+k');
    const dialog = page.locator('[role=dialog]');
    await dialog.locator('input').fill('orgs/me');
    await dialog.getByText('Read the organization of the key').click();
    // The first is the guide's.
    await page.locator('pre', { hasText: 'curl "$BASE_URL/api/v1/orgs/me"' }).nth(1).waitFor();
    await page.getByRole('button', { name: /^Test Request.*orgs\/me/ }).click();
    const answer = page.waitForResponse(`${api.url}/api/v1/orgs/me`);
    await page
      .getByRole('button', { name: /^Send .*get request to/ })
      .first()
      .click();
    expect((await answer).status()).to.equal(200);
    expect(await (await answer).json()).to.have.nested.property('data.id', api.orgId);
    await page.getByText('200 OK').first().waitFor();
    await screenshot(page, 'docs/tried');
    expect(asked.at(-1)?.authorization).to.equal(`Bearer ${api.key}`);
  });

  it('asked for nothing beside its own files, the description and what was tried', () => {
    const paths = asked.map(({ url }) => url.replace(/^data:.*/s, 'data:').replace(/-[0-9a-f]{8}\./, '.'));
    expect([...new Set(paths)].sort()).to.deep.equal(
      [
        '/api/docs',
        '/api/docs/assets/page.js',
        '/api/docs/assets/scalar.js',
        '/api/openapi.json',
        '/api/v1/orgs/me',
      ].map((path) => api.url + path),
    );
    expect(device.faults).to.deep.equal([]);
  });
});
