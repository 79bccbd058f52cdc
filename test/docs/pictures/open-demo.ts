import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { run } from '../../support/process.ts';

export interface OpenDemo {
  page(options: BrowserContextOptions, hash: string): Promise<Page>;
  /** The handhelds' app on a device of its own, signed in. */
  handheld(options: BrowserContextOptions): Promise<Page>;
  /** What the console's server answers. */
  read(path: string): Promise<unknown>;
  close(): Promise<void>;
}

/** `npm run demo`, opened by the link that it prints, once its past has been played. */
export async function openDemo(browser: Browser): Promise<OpenDemo> {
  const program = run('services/standalone/demo/main.ts');
  await program.printed(' -> ');
  const [link = ''] = /http:\S+#\/link\/\S+/.exec(program.stdout()) ?? [];
  const { origin } = new URL(link);
  const first = await browser.newContext();
  const signingIn = await first.newPage();
  await signingIn.goto(link);
  await signingIn.getByRole('button', { name: 'Go in' }).click();
  await signingIn.getByRole('heading', { name: 'Now' }).waitFor();
  const cookies = await first.cookies();
  const ask = (method: string, path: string, body: object | null = null) =>
    signingIn.evaluate<Answer>(
      `fetch('/console/v1${path}', {
         method: '${method}',
         headers: { 'X-Tagtrail-Console': '1', 'Content-Type': 'application/json' },
         ${body === null ? '' : `body: ${JSON.stringify(JSON.stringify(body))},`}
       }).then((answer) => answer.json())`,
    );
  return {
    read: async (path) => (await ask('GET', path)).data,
    page: async (options, hash) => {
      const context = await browser.newContext(options);
      await context.addCookies(cookies);
      // The first steps are done.
      await context.addInitScript(`localStorage.setItem('tagtrail.without-steps', '1')`);
      const page = await context.newPage();
      await page.goto(`${origin}/${hash}`);
      return page;
    },
    handheld: async (options) => {
      const { data } = await ask('POST', '/handhelds', { name: 'Gun 1' });
      const context = await browser.newContext(options);
      const page = await context.newPage();
      await page.goto((data as { sign_in_url: string }).sign_in_url);
      await page.getByRole('button', { name: 'Type' }).waitFor();
      return page;
    },
    close: async () => {
      program.child.kill('SIGINT');
      await program.ended;
    },
  };
}

interface Answer {
  data: unknown;
}

export interface Busy {
  id: number;
  name: string;
}

/** An asset with much of a past to show. */
export async function whoMovedMost({ read }: OpenDemo): Promise<Busy> {
  const assets = (await read('/assets?q=pallet&limit=50')) as Busy[];
  const stays = await Promise.all(
    assets.map(async (asset) => ({
      asset,
      count: ((await read(`/assets/${asset.id}/history?limit=200`)) as unknown[]).length,
    })),
  );
  const [most] = stays.sort((a, b) => b.count - a.count);
  if (most === undefined) {
    throw new RangeError('the demo has no pallets');
  }
  return most.asset;
}
