import { mkdirSync, writeFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type CDPSession,
  type Page,
  chromium as playwright,
} from 'playwright-core';
import { atEnd } from './suite.ts';
import { unpackedBrowser } from './unpacked-browser.ts';

/** Where screenshots go; never committed. */
const SCREENSHOTS = fileURLToPath(new URL('../../.cache/screenshots/', import.meta.url));

/** This machine under a name that browsers do not trust as they trust `localhost`. */
export const PLAIN_HOST = 'gateway.test';

/** A phone that people hold. */
const PHONE = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, hasTouch: true, isMobile: true };

/** What is said of the network, which tests cut, and of a machine without a device for sound, or one too busy for it. */
const OF_THE_MACHINE = [
  'The Cross-Origin-Opener-Policy header has been ignored', // over plain http
  'Failed to load resource',
  'The AudioContext encountered an error from the audio device',
];

export interface TestBrowser {
  /** A device of its own: nothing is on it yet. It is thrown away after the test, or the suite, that took it. */
  device(options?: BrowserContextOptions): Promise<Device>;
}

export class Device {
  readonly context: Awaited<ReturnType<Browser['newContext']>>;
  /** What went wrong in its pages without being shown: exceptions, and what the security policy stopped. */
  readonly faults: string[] = [];
  #time: number | null = null;

  constructor(context: Device['context']) {
    this.context = context;
    context.on('weberror', (error) => this.faults.push(String(error.error())));
    context.on('console', (message) => {
      if (message.type() === 'error' && !OF_THE_MACHINE.some((words) => message.text().startsWith(words))) {
        this.faults.push(message.text());
      }
    });
  }

  /** A tab with the page. */
  async open(url: string): Promise<Page> {
    const page = await this.context.newPage();
    if (this.#time !== null) {
      await page.addInitScript(clockAt(this.#time));
    }
    await page.goto(url);
    return page;
  }

  /** What its clock says from now on, in all pages, in milliseconds since 1970. */
  async setTime(time: number): Promise<void> {
    this.#time = time;
    await Promise.all(this.context.pages().map((page) => page.evaluate(clockAt(time))));
  }
}

/**
 * Playwright's own clock would have input events happen when they are handled, and so a busy machine make a slow
 * scanner; this leaves everything but dates alone.
 */
function clockAt(time: number): string {
  return `globalThis.deviceTime = ${time};
    if (!('isDeviceClock' in Date)) {
      globalThis.Date = class extends Date {
        static isDeviceClock = true;
        static now() { return deviceTime; }
        constructor(...given) { super(...(given.length === 0 ? [deviceTime] : given)); }
      };
    }`;
}

/** The browser for a suite. A fault in any of its pages fails the test in which it came. */
export function useBrowser(): TestBrowser {
  let devices: Device[] = [];
  /** Null outside tests. A page that is left open asks for its lists again, and disturbs the next test. */
  let devicesOfTest: Set<Device> | null = null;
  let browser: Browser;
  before(async () => {
    browser = await sharedBrowser();
  });
  beforeEach(() => {
    devicesOfTest = new Set();
  });
  afterEach(async function () {
    const ofTest = devicesOfTest ?? new Set();
    devicesOfTest = null;
    const error = this.currentTest?.err;
    if (error !== undefined) {
      await quotePages(
        error,
        devices.map(({ context }) => context),
      );
    }
    const faults = devices.flatMap((device) => device.faults.splice(0));
    devices = devices.filter((device) => !ofTest.has(device));
    await Promise.all([...ofTest].map(({ context }) => context.close()));
    expect(faults).to.deep.equal([]);
  });
  after(() => Promise.all(devices.map(({ context }) => context.close())));
  return {
    device: async (options = {}) => {
      const device = new Device(await browser.newContext({ ...PHONE, ...options }));
      if (hasOnlyLoopback()) {
        await believeOnline(device.context);
      }
      devices.push(device);
      devicesOfTest?.add(device);
      return device;
    },
  };
}

let shared: Promise<Browser> | undefined;

/** One for all files of this process: starting it takes a second. */
function sharedBrowser(): Promise<Browser> {
  if (shared === undefined) {
    shared = launch();
    // A worker process of mocha's takes its browser with it when it ends.
    atEnd(async () => (await shared)?.close());
  }
  return shared;
}

function hasOnlyLoopback(): boolean {
  return Object.values(networkInterfaces()).every((addresses = []) =>
    addresses.every((each) => each.internal),
  );
}

/**
 * Chromium says "offline" on a machine without a network, such as a container with no interface but the loopback, which
 * is all that tests need. Pages then believe what `setOffline` said last, which cuts their requests there as well.
 */
async function believeOnline(context: Device['context']): Promise<void> {
  const saying = (isOnline: boolean) =>
    `Object.defineProperty(Navigator.prototype, 'onLine', { configurable: true, get: () => ${isOnline} });`;
  await context.addInitScript(saying(true));
  const cut = context.setOffline.bind(context);
  context.setOffline = async (isOffline) => {
    await cut(isOffline);
    await context.addInitScript(saying(!isOffline));
    const event = isOffline ? 'offline' : 'online';
    await Promise.all(
      context
        .pages()
        .map((page) => page.evaluate(`${saying(!isOffline)} dispatchEvent(new Event('${event}'));`)),
    );
  };
}

/**
 * With TEST_SCREENSHOTS=1, writes what the page looks like to `.cache/screenshots/<name>.png`, quickly instead of into a small
 * file: Playwright's own takes 136 ms, this 12. They are for people to look at: no test compares them.
 */
export async function screenshot(page: Page, name: string): Promise<void> {
  if (process.env['TEST_SCREENSHOTS'] !== '1') {
    return;
  }
  const path = join(SCREENSHOTS, `${name}.png`);
  mkdirSync(dirname(path), { recursive: true });
  const session = await sessionOf(page);
  const { data } = await session.send('Page.captureScreenshot', { format: 'png', optimizeForSpeed: true });
  writeFileSync(path, data, 'base64');
}

/** Waits until an expression is true in the page. (Playwright's own wait is stopped by the page's security policy.) */
export function until(page: Page, condition: string): Promise<void> {
  return page.evaluate<void>(
    `new Promise((resolve) => {
       const look = () => ((${condition}) ? resolve() : requestAnimationFrame(look));
       look();
     })`,
  );
}

/** Waits until nothing fades or slides any more: before that, nothing has its place, its size or its contrast. */
export function untilAtRest(page: Page): Promise<void> {
  return until(page, 'document.getAnimations().every(({ playState }) => playState === "finished")');
}

/**
 * Types as a scanner does, five milliseconds a character: the times are the browser's own input events', so that a
 * busy machine does not make a slow scanner.
 *
 * @param value a group separator in it is typed as Ctrl+], which is how many scanners do.
 */
export function scanByWedge(page: Page, value: string, ...ends: ('Enter' | 'Tab')[]): Promise<void> {
  return typeByWedge(page, value, { ends });
}

/** After which a page that was just opened, or came to the front, believes that it hears the whole of a scan. */
export const SETTLED_MS = 300;

/** Some time after whatever was typed before, by the times of the input events, as somebody who pulls a trigger then. */
export const LATER_MS = 3_000;

/**
 * As {@link scanByWedge}, with a pause in front of one character.
 *
 * @param ends Enter unless told; null for a scanner that sends none.
 * @param delay how long after now it begins, in milliseconds; unless told, so long that a page that was just opened has
 *   settled, by the times of the input events.
 * @param held how often the last key of the end is repeated, since the scanner is late to say that it is up.
 */
export async function typeByWedge(
  page: Page,
  value: string,
  {
    ends = [],
    delay = ends === null ? 0 : SETTLED_MS,
    pause = { before: 0, lasts: 0 },
    held = 0,
  }: {
    ends?: readonly ('Enter' | 'Tab')[] | null;
    delay?: number;
    pause?: { before: number; lasts: number };
    held?: number;
  } = {},
): Promise<void> {
  const session = await sessionOf(page);
  const endKeys = (ends?.length === 0 ? (['Enter'] as const) : (ends ?? [])).map((end) => END_KEYS[end]);
  const keys: readonly TypedKey[] = [
    ...[...value].flatMap((text) => CONTROLS[text] ?? [{ key: text, text }]),
    ...endKeys,
  ];
  const began = (Date.now() + delay) / 1000;
  const events = keys.flatMap((key, index) => {
    const timestamp = began + index * 0.005 + (index < pause.before ? 0 : pause.lasts / 1000);
    return [
      { type: 'keyDown' as const, timestamp, ...key },
      { type: 'keyUp' as const, timestamp, ...key },
    ];
  });
  const repeats = Array.from({ length: held }, (_, index) => ({
    type: 'keyDown' as const,
    autoRepeat: true,
    ...END_KEYS[ends?.at(-1) ?? 'Enter'],
    timestamp: began + keys.length * 0.005 + 0.5 + index * 0.03,
  }));
  const all = held === 0 ? events : events.toSpliced(-1, 0, ...repeats);
  await Promise.all(all.map((event) => session.send('Input.dispatchKeyEvent', event)));
}

/** One for each page, and left open: closing one tells the page that it is online, whatever the truth. */
const sessions = new WeakMap<Page, Promise<CDPSession>>();

function sessionOf(page: Page): Promise<CDPSession> {
  const session = sessions.get(page) ?? page.context().newCDPSession(page);
  sessions.set(page, session);
  return session;
}

interface TypedKey {
  key: string;
  text?: string;
  code?: string;
  windowsVirtualKeyCode?: number;
  modifiers?: number;
}

const CONTROL = { key: 'Control', code: 'ControlLeft', windowsVirtualKeyCode: 17, modifiers: 2 };

/** As scanners type the group separator (Ctrl+]) and the record separator (Ctrl+6); `modifiers` 2 is Ctrl. */
const CONTROLS: Readonly<Record<string, readonly TypedKey[]>> = {
  '\u001d': [CONTROL, { key: ']', code: 'BracketRight', windowsVirtualKeyCode: 221, modifiers: 2 }],
  '\u001e': [CONTROL, { key: '6', code: 'Digit6', windowsVirtualKeyCode: 54, modifiers: 2 }],
};

const END_KEYS = {
  Enter: { key: 'Enter', code: 'Enter', windowsVirtualKeyCode: 13, text: '\r' },
  Tab: { key: 'Tab', code: 'Tab', windowsVirtualKeyCode: 9 },
} as const;

/** Npm brings a Chromium for Linux on x64, with the libraries and the fonts it needs; elsewhere Chrome is taken. */
export async function launch(): Promise<Browser> {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    return playwright.launch({ channel: 'chrome' });
  }
  const folder = await unpackedBrowser();
  return playwright.launch({
    executablePath: join(folder, 'chromium'),
    args: [
      '--no-sandbox',
      '--disable-gpu',
      `--host-resolver-rules=MAP ${PLAIN_HOST} 127.0.0.1`,
      '--use-fake-device-for-media-stream',
      '--use-fake-ui-for-media-stream',
    ],
    env: {
      ...process.env,
      FONTCONFIG_PATH: join(folder, 'fonts'),
      LD_LIBRARY_PATH: join(folder, 'al2023', 'lib'),
    },
  });
}

/** Characters of a page's text that a failure quotes. */
const QUOTED = 300;

/** Milliseconds for a page that is busy to say what it shows. */
const PATIENCE = 2_000;

/** Adds to a failure what each page shows instead of what was waited for, or expected. */
async function quotePages(error: Error, contexts: readonly BrowserContext[]): Promise<void> {
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
