import { expect } from 'chai';
import type { Route } from 'playwright-core';
import { type Device, useBrowser } from '../../support/browser.ts';
import { useGateway } from '../../support/gateway.ts';
import { HandheldApp } from '../../support/handheld-app.ts';
import { itByNight } from '../../support/random-sets.ts';

const SCANS = 20;

describe('the handheld app behind a proxy with a mind of its own', () => {
  const gateway = useGateway();
  const browser = useBrowser();
  let device: Device;
  let app: HandheldApp;

  before(async () => {
    await gateway.site.location('DOCK-1');
  });

  beforeEach(async () => {
    // What the worker lets pass cannot be held up here.
    device = await browser.device({ serviceWorkers: 'block' });
    app = await HandheldApp.signedIn(device, gateway.url, gateway.token);
    await app.choosePlace('DOCK-1');
  });

  it('sends fewer scans at a time where a submission is too large, each once and in order', async () => {
    const most = 1_300;
    const passed: number[] = [];
    const sent: string[] = [];
    await device.context.route('**/submissions', async (route) => {
      const body = route.request().postData() ?? '';
      if (body.length > most) {
        await tooLarge(route);
        return;
      }
      const { scans } = JSON.parse(body);
      passed.push(scans.length);
      sent.push(...scans.map((scan: { value: string }) => scan.value));
      await route.continue();
    });
    const values = Array.from({ length: SCANS }, (_, index) => `BEHIND-A-PROXY-${index}`);
    await scanOffline(values);
    await app.waits(0);
    expect(passed).to.deep.equal([10, 10]);
    expect(sent).to.deep.equal(values);
    const rows = await gateway.database.rows<{ value: string; times: number }>(
      `select value, count::integer as times from unknown_tags where value like 'BEHIND-A-PROXY-%'
       order by substring(value from '[0-9]+$')::integer`,
    );
    expect(rows).to.deep.equal(values.map((value) => ({ value, times: 1 })));
  });

  it('shows a scan that alone is too large as refused, and goes on with the next', async () => {
    await device.context.route('**/submissions', async (route) =>
      route.request().postData()?.includes('TOO-LARGE') ? tooLarge(route) : route.continue(),
    );
    await scanOffline(['FITS-1', 'TOO-LARGE', 'FITS-2']);
    await app.waits(0);
    await app.goTo('History');
    await app.shows('1 scan refused');
    await app.shows('The gateway (or a server in front of it) answered with status 413.');
    expect(
      await gateway.database.rows(`select value from unknown_tags where value like 'FITS-%' order by value`),
    ).to.deep.equal([{ value: 'FITS-1' }, { value: 'FITS-2' }]);
  });

  it('says in the history what was answered instead of the gateway, and that it goes on trying', async () => {
    await device.context.route('**/submissions', (route) =>
      route.fulfill({ status: 502, contentType: 'text/html', body: '<h1>Bad Gateway</h1>' }),
    );
    await app.scan('BEHIND-A-BAD-GATEWAY');
    await app.shows('No answer · 1 waiting');
    await app.goTo('History');
    await app.shows('1 scan not sent yet');
    await app.shows('The gateway (or a server in front of it) answered with status 502.');
    await device.context.unroute('**/submissions');
    await app.waits(0);
    await app.page.getByText('not sent yet').waitFor({ state: 'detached' });
  });

  itByNight(
    'sends fewer scans at a time where a submission takes too long to come through, and more again after',
    async () => {
      const passed: number[] = [];
      const sent: string[] = [];
      let isSlow = true;
      await device.context.route('**/submissions', async (route) => {
        const { scans } = JSON.parse(route.request().postData() ?? '');
        if (isSlow && scans.length > SCANS / 4) {
          await route.fulfill({ status: 408, json: { error: { detail: 'The body took too long' } } });
          return;
        }
        isSlow = false;
        passed.push(scans.length);
        sent.push(...scans.map((scan: { value: string }) => scan.value));
        await route.continue();
      });
      const values = Array.from({ length: SCANS }, (_, index) => `OVER-A-SLOW-NETWORK-${index}`);
      await scanOffline(values);
      await app.waits(0);
      expect(passed).to.deep.equal([5, 10, 5]);
      expect(sent).to.deep.equal(values);
      const rows = await gateway.database.rows<{ value: string; times: number }>(
        `select value, count::integer as times from unknown_tags where value like 'OVER-A-SLOW-NETWORK-%'
       order by substring(value from '[0-9]+$')::integer`,
      );
      expect(rows).to.deep.equal(values.map((value) => ({ value, times: 1 })));
    },
  );

  describe('that says when to come back', () => {
    beforeEach(async () => {
      await device.context.addInitScript(TIMERS_BY_HAND);
      await app.reload();
      await app.shows('You are at');
    });

    for (const [status, said, least, most] of [
      [503, '20', 20_000, 21_000],
      [429, '9', 9_000, 10_000],
      [503, '0', 500, 1_000],
      [503, '-5', 500, 1_000],
      [503, '99999999', 300_000, 300_000],
      [503, 'soon', 500, 1_000],
    ] as const) {
      const test = said === '20' ? it : itByNight;
      test(`with ${status} and “${said}” is tried again then, says why in the history, and loses nothing`, async () => {
        await device.context.route('**/submissions', (route) =>
          route.fulfill({
            status,
            headers: { 'Retry-After': said },
            json: { error: { detail: 'Too many submissions at once' } },
          }),
        );
        await app.scan(`BUSY-${status}-${said}`);
        await app.shows('No answer · 1 waiting');
        await app.goTo('History');
        await app.shows('Too many submissions at once. Nothing is lost; sending is retried until it works.');
        const waits = await app.page.evaluate<number[]>('globalThis.waits');
        expect(waits.filter((wait) => wait >= least && wait <= most)).to.have.length(1);
        await device.context.unroute('**/submissions');
        await app.page.evaluate(`globalThis.advance(${most})`);
        await app.waits(0);
      });
    }

    itByNight('gives what is large as long as a slow network takes for it', async () => {
      let requests = 0;
      let answer = () => {};
      const isAnswered = new Promise<void>((resolve) => {
        answer = resolve;
      });
      await device.context.route('**/submissions', async (route) => {
        requests += 1;
        await isAnswered;
        await route.continue();
      });
      const asked = app.page.waitForRequest('**/submissions');
      const long = 'LONG-'.repeat(48);
      await scanOffline(Array.from({ length: 5 }, (_, index) => `${long}${index}`));
      await asked;
      await app.page.evaluate('globalThis.advance(30_900)');
      answer();
      await app.waits(0);
      expect(requests).to.equal(1);
    });
  });

  /** All of them wait when the network comes back. */
  async function scanOffline(values: readonly string[]): Promise<void> {
    await device.context.setOffline(true);
    await app.shows('Offline');
    for (const value of values) {
      await app.scan(value);
    }
    await app.waits(values.length);
    await device.context.setOffline(false);
  }
});

/** What waits for longer is up to the test: `waits` says for how long, `advance` that so many milliseconds have passed. */
const TIMERS_BY_HAND = `(() => {
  const { setTimeout: start, clearTimeout: stop } = globalThis;
  let timers = [];
  let now = 0;
  globalThis.waits = [];
  globalThis.setTimeout = (work, wait = 0, ...given) => {
    if (wait < 400) return start(work, wait, ...given);
    const timer = { work, at: now + wait };
    timers.push(timer);
    globalThis.waits.push(wait);
    return timer;
  };
  globalThis.clearTimeout = (timer) => {
    timers = timers.filter((each) => each !== timer);
    if (typeof timer !== 'object') stop(timer);
  };
  globalThis.advance = (wait) => {
    now += wait;
    const due = timers.filter(({ at }) => at <= now);
    timers = timers.filter(({ at }) => at > now);
    due.forEach(({ work }) => work());
  };
})()`;

function tooLarge(route: Route): Promise<void> {
  return route.fulfill({ status: 413, contentType: 'text/html', body: '<h1>Request Entity Too Large</h1>' });
}
