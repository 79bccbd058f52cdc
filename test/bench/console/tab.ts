import type { Browser, CDPSession, Page } from 'playwright-core';

/** A page of the console in a browser of its own, as who opens it for the first time. */
export interface Tab {
  /** Milliseconds from the beginning of the navigation until places could be seen. */
  firstContent: number;
  /** By the asset's name: when its move could be seen, in milliseconds since 1970. */
  shown(): Promise<Map<string, number>>;
  /** Seconds of a processor that its scripts and its drawing have taken so far. */
  busy(): Promise<number>;
  /** Bytes of what scripts keep, after a collection. */
  memory(): Promise<number>;
  close(): Promise<void>;
}

export async function openTab(browser: Browser, url: string, token: string): Promise<Tab> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  await context.addCookies([{ name: 'tagtrail_session', value: token, url }]);
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  await page.addInitScript(WATCH);
  await page.goto(`${url}/#/now`);
  await page.locator('.tree-row').first().waitFor();
  return {
    firstContent: await page.evaluate<number>('firstContent'),
    shown: async () => new Map(await page.evaluate<[string, number][]>('[...shownAt]')),
    busy: () => busyOf(session),
    memory: () => memoryOf(page, session),
    close: () => context.close(),
  };
}

/** After a frame is drawn, which is when it can be seen. */
const WATCH = `
  globalThis.firstContent = null;
  globalThis.shownAt = new Map();
  new MutationObserver(() => {
    const hasPlaces = firstContent === null && document.querySelector('.tree-row') !== null;
    const names = [...document.querySelectorAll('.move-line .title')].map((link) => link.textContent);
    const fresh = names.filter((name) => !shownAt.has(name));
    if (hasPlaces || fresh.length > 0) {
      requestAnimationFrame(() => {
        firstContent ??= hasPlaces ? performance.now() : null;
        for (const name of fresh) {
          if (!shownAt.has(name)) {
            shownAt.set(name, Date.now());
          }
        }
      });
    }
  }).observe(document, { childList: true, subtree: true, characterData: true });
`;

async function busyOf(session: CDPSession): Promise<number> {
  const { metrics } = await session.send('Performance.getMetrics');
  return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN;
}

async function memoryOf(page: Page, session: CDPSession): Promise<number> {
  // What the measurement itself keeps is not the page's.
  await page.evaluate('shownAt.size > 5_000 && shownAt.clear()');
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  return usedSize;
}
