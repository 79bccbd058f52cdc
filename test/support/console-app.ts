import type { BrowserContextOptions, Page } from 'playwright-core';
import type { ConsoleConfig } from '../../services/console/config.ts';
import { screenshot, type TestBrowser, until, useBrowser } from './browser.ts';
import { buildConsoleIfStale } from './built-app.ts';
import { type TestConsole, useConsole } from './console.ts';
import { byTurns } from './random-sets.ts';
import { violationsIn } from './screen-states.ts';

const DESK_SIZE = { width: 1280, height: 800 };
const TABLET = { width: 820, height: 900 };
const SMALL_PHONE = { width: 360, height: 740 };

/** Those that German is looked at on: its words are longer. */
const IN_GERMAN = [
  { width: 390, height: 844 },
  { width: 1400, height: 900 },
] as const;

export const DESK = {
  viewport: { width: 1280, height: 800 },
  deviceScaleFactor: 1,
  hasTouch: false,
  isMobile: false,
};

/**
 * Colours are the same at every width: what is between the widest and the narrowest is looked at in one theme. By turns one of
 * these where not everything is tried.
 */
const LOOKS = [
  { size: DESK_SIZE, theme: 'light' },
  { size: DESK_SIZE, theme: 'dark' },
  { size: TABLET, theme: 'light' },
  { size: SMALL_PHONE, theme: 'light' },
  { size: SMALL_PHONE, theme: 'dark' },
] as const;

const IS_TOO_HIGH =
  "document.querySelector('.shell') !== null && document.documentElement.scrollHeight > innerHeight";

export interface TestConsoleApp extends TestConsole {
  browser: TestBrowser;
  /** A tab at `hash`, signed in with a session's token; with null, not signed in. */
  open(hash: string, token?: string | null, options?: BrowserContextOptions): Promise<Page>;
}

/** The console in a browser, as it is served. */
export function useConsoleApp(settings: Partial<ConsoleConfig> = {}): TestConsoleApp {
  before(async () => {
    await buildConsoleIfStale();
  });
  const server = useConsole(settings);
  const browser = useBrowser();
  return Object.assign(server, {
    browser,
    open: async (
      hash: string,
      token: string | null = server.token,
      options: BrowserContextOptions = DESK,
    ) => {
      const device = await browser.device({ ...DESK, locale: 'en-GB', ...options });
      if (token !== null) {
        await device.context.addCookies([{ name: 'tagtrail_session', value: token, url: server.url }]);
      }
      return device.open(`${server.url}/${hash}`);
    },
  });
}

/** Texts of what `selector` finds that end in "…" because there is no room for them. */
export function cutTexts(page: Page, selector: string): Promise<string[]> {
  return page.evaluate<string[]>(
    `[...document.querySelectorAll(${JSON.stringify(selector)})]
       .filter((each) => each.scrollWidth > each.clientWidth && getComputedStyle(each).display !== 'inline')
       .map((each) => each.textContent)`,
  );
}

/**
 * Looks at the page at three widths, light and dark: for a picture, whether it keeps to its width and height, and with axe.
 *
 * @returns what is wrong.
 */
export async function faultsOf(page: Page, name: string): Promise<string[]> {
  const found: string[] = [];
  const looks = byTurns(LOOKS, name);
  for (const { size, theme } of looks) {
    await page.setViewportSize(size);
    await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
    await until(page, `document.documentElement.dataset.theme === '${theme}'`);
    // Rows are dimmed while they are read anew.
    await until(page, `document.querySelector('.table[aria-busy="true"]') === null`);
    const state = `console/${name}-${size.width}-${theme}`;
    found.push(...(await faultsAt(page, state, looks.length === 1 ? 'light' : theme)));
    if (size !== TABLET) {
      await screenshot(page, state);
    }
  }
  return found;
}

/** The same of the page at `hash` in German, on a phone and on a desk, once it shows `text`. */
export async function faultsInGerman(
  app: TestConsoleApp,
  hash: string,
  token: string,
  { name, text }: { name: string; text: string },
): Promise<string[]> {
  const found: string[] = [];
  for (const viewport of byTurns(IN_GERMAN, name)) {
    const page = await app.open(hash, token, { locale: 'de-DE', viewport });
    await page.getByText(text).first().waitFor();
    const state = `console/${name}-${viewport.width}-de`;
    found.push(...(await faultsAt(page, state, 'light')));
    await screenshot(page, state);
    await page.close();
  }
  return found;
}

async function faultsAt(page: Page, state: string, theme: 'light' | 'dark'): Promise<string[]> {
  const found = (await violationsIn(page, null, theme)).map((violation) => `${state}: ${violation}`);
  if (await page.evaluate<boolean>('document.documentElement.scrollWidth > innerWidth')) {
    found.push(`${state}: wider than the screen`);
  }
  // Within the shell, the screen scrolls: were the document higher, a second bar would move all of it out of sight.
  if (await page.evaluate<boolean>(IS_TOO_HIGH)) {
    found.push(`${state}: higher than the screen`);
  }
  return found;
}
