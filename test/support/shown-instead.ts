import type { BrowserContext } from 'playwright-core';

/** Characters of a page's text that a failure quotes. */
const QUOTED = 300;

/** Milliseconds for a page that is busy to say what it shows. */
const PATIENCE = 2_000;

/** Adds to a failure what each page shows instead of what was waited for, or expected. */
export async function quotePages(error: Error, contexts: readonly BrowserContext[]): Promise<void> {
  const pages = contexts.flatMap((context) => context.pages());
  const texts = await Promise.all(
    pages.map((page) =>
      page
        .locator('body')
        // biome-ignore lint/performance/useDomNodeTextContent: what is hidden is not shown
        .innerText({ timeout: PATIENCE })
        .catch(() => 'nothing that can be read'),
    ),
  );
  const quoted = texts.map((text) => `Shown at the failure: ${shortened(text)}`);
  const message = [error.message, ...quoted].join('\n');
  error.stack = error.stack?.replace(error.message, () => message) ?? message;
  error.message = message;
}

function shortened(text: string): string {
  const words = text.replaceAll(/\s+/g, ' ').trim();
  return words.length > QUOTED ? `${words.slice(0, QUOTED)} ...` : words;
}
