import type { Page } from 'playwright-core';
import type { Busy } from './open-demo.ts';

export const DESK = { viewport: { width: 1200, height: 750 }, locale: 'en-GB', timezoneId: 'UTC' };

export const HANDHELD = {
  viewport: { width: 390, height: 780 },
  locale: 'en-GB',
  timezoneId: 'UTC',
  isMobile: true,
  hasTouch: true,
};

interface Picture {
  /** Of the file; with `-dark` behind it in the other look. */
  name: string;
  hash(asset: Busy): string;
  /** A text that is there once there is something to see. */
  until(asset: Busy): string | RegExp;
  looks: readonly ('light' | 'dark')[];
  ready?(page: Page): Promise<void>;
}

/** Until moves have come that are lit. */
const someMoves = (page: Page) => page.waitForTimeout(4_000);

export const PICTURES: readonly Picture[] = [
  {
    name: 'console-now',
    hash: () => '#/now',
    until: () => 'North Hub',
    looks: ['light', 'dark'],
    ready: someMoves,
  },
  {
    name: 'console-plan',
    hash: () => '#/plan',
    until: () => /The dots show where/,
    looks: ['light', 'dark'],
    ready: someMoves,
  },
  {
    name: 'console-asset',
    hash: ({ id }) => `#/asset/${id}`,
    until: ({ name }) => name,
    looks: ['light', 'dark'],
    ready: (page) => page.waitForTimeout(1_000),
  },
  {
    name: 'console-why',
    hash: ({ id }) => `#/asset/${id}?why=now`,
    until: () => /dBm/,
    looks: ['light'],
    ready: (page) => page.waitForTimeout(1_000),
  },
  {
    name: 'console-reader',
    hash: () => '#/readers/1',
    until: () => /^Heard \d/,
    looks: ['light'],
    ready: (page) => page.waitForTimeout(1_000),
  },
  {
    name: 'console-reports',
    hash: () => '#/reports/dwell?span=today',
    until: () => 'Dock door 1',
    looks: ['light'],
  },
  { name: 'console-inbox', hash: () => '#/inbox/tags', until: () => /^AD99/, looks: ['light'] },
];

export const PHONE = [
  { colorScheme: 'light', hash: () => '#/now', until: () => 'Receiving' },
  { colorScheme: 'dark', hash: ({ id }: Busy) => `#/asset/${id}`, until: ({ name }: Busy) => name },
] as const;
