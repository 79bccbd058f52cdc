import { expect } from 'chai';
import type { Request, Route } from 'playwright-core';
import { ulid } from 'ulid';
import { databaseOn } from '../../../db/timescale/connections/database.ts';
import { createHandheld } from '../../../domain/administration/handhelds/create-handheld.ts';
import { TEST_ACTOR } from '../../support/actor.ts';
import { type Device, useBrowser } from '../../support/browser.ts';
import { useGateway } from '../../support/gateway.ts';
import { HandheldApp } from '../../support/handheld-app.ts';
import { itByNight } from '../../support/random-sets.ts';
import { Site } from '../../support/site.ts';

const tag = (number: number) => `E2801160000002091234${String(number).padStart(4, '0')}`;
const LISTS = '**/handheld/v1/locations/*/assets?*';

describe('a sweep whose list is slow to come', () => {
  const gateway = useGateway();
  const browser = useBrowser();
  let device: Device;
  let app: HandheldApp;
  /** Requests for the list that wait for an answer. */
  let held: Route[];
  /** What becomes of requests for the list; held up while there is none. */
  let answer: ((route: Route) => Promise<void>) | null;
  let isAsked: Promise<unknown>;

  beforeEach(async () => {
    const { site } = gateway;
    const [shelf, other] = [`SHELF-${ulid()}`, `SHELF-${ulid()}`];
    await site.location(shelf);
    await site.location(other);
    await gateway.database.rows('delete from tags');
    for (const number of [1, 2, 3]) {
      await site.asset(`TOTE-${number}-${shelf}`, tag(number));
      await scanAt(number === 3 ? other : shelf, tag(number));
    }
    held = [];
    answer = null;
    // What the worker lets pass cannot be held up here.
    device = await browser.device({ serviceWorkers: 'block' });
    isAsked = new Promise((resolve) => {
      void device.context.route(LISTS, async (route) => {
        await (answer === null ? held.push(route) : answer(route));
        resolve(route);
      });
    });
    app = await HandheldApp.signedIn(device, gateway.url, gateway.token);
    await app.choosePlace(shelf);
    await app.goTo('Sweep');
    await app.press(`Sweep ${shelf}`);
    await app.shows('Fetching the list of what should be here.');
  });

  it('begins at once: what is scanned meanwhile belongs to it, and the list completes it', async () => {
    await app.scan(tag(1));
    await app.scan(tag(3));
    await app.waits(0);
    await app.page.getByRole('img', { name: '0 of nobody knows how many found' }).waitFor();
    await answerLists((route) => route.continue());
    // What it moved here was elsewhere before, though a list of now has it.
    await app.page.getByRole('img', { name: '1 of 2 found' }).waitFor();
    await app.page.locator('.heap', { hasText: 'Moved here' }).getByText('1').waitFor();
    await app.press('Finish');
    await app.shows('1 of 2 missing');
  });

  itByNight(
    'says after it is finished that the list has not come, and is completed when the app is opened anew',
    async () => {
      await app.scan(tag(1));
      await app.press('Finish');
      await app.shows('It is not known what should be here');
      await app.shows('Fetching the list');
      await app.close();
      await device.context.unroute(LISTS);
      const reopened = await HandheldApp.open(device, gateway.url);
      await reopened.goTo('Sweep');
      await reopened.shows('1 of 2 missing');
    },
  );

  it('goes by no list when none comes, and says so', async () => {
    await app.scan(tag(1));
    await answerLists((route) => route.fulfill({ status: 503, json: { error: { detail: 'Too busy' } } }));
    await app.shows('no list of what should be here.');
    await app.page.getByRole('img', { name: '0 of nobody knows how many found' }).waitFor();
  });

  itByNight('stays done when the list comes to another tab that has not heard of that', async () => {
    await device.context.addInitScript('window.BroadcastChannel = class { postMessage() {} };');
    const tab = await HandheldApp.open(device, gateway.url);
    await tab.goTo('Sweep');
    await tab.shows('Fetching the list');
    await app.press('Finish');
    await app.press('Done');
    await app.shows('It should be here but was not scanned.');
    await answerLists((route) => route.continue());
    await tab.shows('It should be here but was not scanned.');
    await app.reload();
    await app.goTo('Sweep');
    await app.shows('It should be here but was not scanned.');
  });

  it('keeps nothing of lists that come after another organization’s handheld has signed in', async () => {
    const other = await Site.create(gateway.database, 'Other');
    await other.location('ELSEWHERE');
    await other.asset('THEIRS', tag(1));
    const { token } = await createHandheld(databaseOn(gateway.database.pool), TEST_ACTOR, {
      orgId: other.orgId,
      name: 'other',
    });
    const heldPlaces: Route[] = [];
    await device.context.route('**/handheld/v1/locations?*', (route) =>
      route.request().headers()['authorization']?.endsWith(token)
        ? route.continue()
        : void heldPlaces.push(route),
    );
    await app.page.evaluate(`window.dispatchEvent(new Event('online'))`);
    await app.goTo('Settings');
    await app.press('Sign out');
    await app.press('Yes, sign out');
    await app.signIn(token);
    await app.shows('is over');
    await isAsked;
    for (const route of [...held, ...heldPlaces]) {
      await completed(route);
    }
    await app.goTo('History');
    await app.goTo('Scan');
    await app.choosePlace('ELSEWHERE');
    await device.context.setOffline(true);
    await app.scan(tag(1));
    await app.shows('On this device; will be sent.');
    expect(await app.page.getByText('Belongs to').count()).to.equal(0);
  });

  /** Lets a request go, and waits until it is over; the app has given up by then where the machine is slow. */
  async function completed(route: Route): Promise<void> {
    const request = route.request();
    if (request.failure() !== null) {
      return;
    }
    const isIt = { predicate: (each: Request) => each === request };
    const over = Promise.race([
      app.page.waitForEvent('requestfinished', isIt),
      app.page.waitForEvent('requestfailed', isIt),
    ]);
    await route.continue();
    await over;
  }

  /** Answers the requests for the list that were held up, and all later ones. */
  async function answerLists(by: (route: Route) => Promise<void>): Promise<void> {
    await isAsked;
    answer = by;
    for (const route of held.splice(0)) {
      await by(route);
    }
  }

  async function scanAt(key: string, value: string): Promise<void> {
    const at = new Date().toISOString();
    const scans = [{ tag_type: 'rfid', value, observed_at: at }];
    const submission = { submission_id: ulid(), sent_at: at, location: { external_key: key }, scans };
    expect((await gateway.submit(submission)).status).to.equal(201);
  }
});
