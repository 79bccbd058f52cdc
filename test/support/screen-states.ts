import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { screenshot, until, untilAtRest } from './browser.ts';
import { byTurns } from './random-sets.ts';

const AXE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

/** All that WCAG 2.2 asks at level AA and that a program can tell, and what axe calls good practice. */
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/**
 * Those of its rules that look at colours. A theme changes nothing else, so the others look at one theme; and colours are the
 * same in every layout, so one layout is looked at in both.
 */
const COLOUR_RULES = { type: 'rule', values: ['color-contrast', 'link-in-text-block'] };

/** A page that is enlarged to twice its size has half the room. */
const LAYOUTS = {
  upright: { width: 390, height: 844 },
  across: { width: 844, height: 390 },
  'at 200 %': { width: 195, height: 422 },
};

/** How each state is looked at; by turns in one of these ways where not everything is tried. */
const LOOKS = [
  { layout: 'upright', theme: 'light' },
  { layout: 'upright', theme: 'dark' },
  { layout: 'across', theme: 'light' },
  { layout: 'at 200 %', theme: 'light' },
] as const;

/**
 * Looks at the app's screens in each theme and each layout: with axe, for a picture, and for what of the stylesheets is in
 * sight, so that in the end nothing is left that was never looked at.
 */
export class ScreenStates {
  readonly #seen = new Map<string, boolean>();

  /**
   * @param within a selector of the part to look at, of a screen that was looked at before.
   * @param layouts those to look at it in.
   * @throws AssertionError if axe has anything against the page as it is now.
   */
  async look(
    page: Page,
    name: string,
    within: string | null = null,
    layouts: readonly string[] = Object.keys(LAYOUTS),
  ): Promise<void> {
    const found: string[] = [];
    const looks = byTurns(
      LOOKS.filter(({ layout }) => layouts.includes(layout)),
      name,
    );
    for (const { layout, theme } of looks) {
      await page.setViewportSize(LAYOUTS[layout]);
      await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
      await until(page, `document.documentElement.dataset.theme === '${theme}'`);
      await this.#note(page);
      const violations = await violationsIn(page, within, looks.length === 1 ? 'light' : theme);
      found.push(...violations.map((violation) => `${name}, ${layout}, ${theme}: ${violation}`));
      await screenshot(page, `${theme}/${layout === 'upright' ? '' : `${layout}/`}${name}`);
    }
    await page.setViewportSize(LAYOUTS.upright);
    expect(found).to.deep.equal([]);
  }

  /** Selectors of the stylesheets that nothing matched in any look. */
  unseen(): string[] {
    return [...this.#seen].flatMap(([selector, isSeen]) => (isSeen ? [] : [selector]));
  }

  async #note(page: Page): Promise<void> {
    const now = await page.evaluate<Record<string, boolean>>(SELECTORS);
    for (const [selector, isSeen] of Object.entries(now)) {
      this.#seen.set(selector, isSeen || this.#seen.get(selector) === true);
    }
  }
}

/** Each selector of the stylesheets, and whether something on the page has it, whatever the pointer or focus is on. */
const SELECTORS = `(() => {
  const selectors = {};
  const read = (rules) => {
    for (const rule of rules) {
      for (const selector of (rule.selectorText ?? '').split(',')) {
        const still = selector.replace(/::[-a-z]+|:(hover|active|focus-visible|focus-within|focus)/g, '').trim();
        if (still !== '') selectors[still] = document.querySelector(still) !== null;
      }
      if (rule.cssRules !== undefined && !(rule instanceof CSSKeyframesRule)) read(rule.cssRules);
    }
  };
  [...document.styleSheets].forEach(({ cssRules }) => read(cssRules));
  return selectors;
})()`;

interface AxeAnswer {
  passed: string[];
  found: { id: string; nodes: { html: string; failureSummary: string }[] }[];
}

/**
 * What axe has against the page. It comes in by the debugger, past the page's security policy. Where something may appear
 * meanwhile, look at it with less motion, as it has no contrast while it fades.
 */
export async function violationsIn(
  page: Page,
  within: string | null,
  theme: 'light' | 'dark' = 'light',
): Promise<string[]> {
  await untilAtRest(page);
  if (!(await page.evaluate<boolean>(`'axe' in window`))) {
    await page.evaluate(AXE);
  }
  // Of what passes the names are enough; no rule that is asked for reads the stylesheets again.
  const options = JSON.stringify({
    runOnly: theme === 'dark' ? COLOUR_RULES : RULES,
    ...{ resultTypes: ['violations'], selectors: false, preload: { assets: ['media'] } },
  });
  const { passed, found } = await page.evaluate<AxeAnswer>(
    `axe.run(${JSON.stringify(within)} ?? document, ${options}).then(({ passes, violations }) =>
       ({ passed: passes.map(({ id }) => id), found: violations }))`,
  );
  expect(passed).to.include('color-contrast');
  return found.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html}\n${failureSummary}`),
  );
}
