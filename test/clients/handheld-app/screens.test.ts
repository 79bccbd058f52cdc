import { expect } from 'chai';
import { ulid } from 'ulid';
import { LISTS } from '../../../clients/handheld-app/src/sweep/sweep.ts';
import { en } from '../../../clients/handheld-app/src/texts/en.ts';
import { databaseOn } from '../../../db/timescale/connections/database.ts';
import { createHandheld } from '../../../domain/administration/handhelds/create-handheld.ts';
import { revokeHandheld } from '../../../domain/administration/handhelds/revoke-handheld.ts';
import { STATUSES } from '../../../services/handheld-gateway/recording/record-submission.ts';
import { TEST_ACTOR } from '../../support/actor.ts';
import { type Device, LATER_MS, scanByWedge, typeByWedge, useBrowser } from '../../support/browser.ts';
import { useGateway } from '../../support/gateway.ts';
import { HandheldApp } from '../../support/handheld-app.ts';
import { ScreenStates } from '../../support/screen-states.ts';

const ASSETS = [
  'Euro pallet 1',
  'Euro pallet 2',
  'Blue tote 3',
  'Forklift 4',
  'Cable, 400 m',
  'Pump housing',
];
const tag = (number: number) => `E2801160000002091234${String(number).padStart(4, '0')}`;

describe('the screens of the handheld app', () => {
  const states = new ScreenStates();
  const gateway = useGateway();
  const browser = useBrowser();
  let device: Device;
  let app: HandheldApp;

  before(async () => {
    const { site } = gateway;
    const hall = await place('North warehouse');
    const dock = await place('Dock 1', hall);
    await site.tag({ locationId: dock }, 'LOC-DOCK-1', 'barcode');
    const aisle = await place('Aisle A', hall);
    await place('Shelf A1', aisle);
    await place('Shelf A2', aisle);
    await place('Yard');
    for (const [index, name] of ASSETS.entries()) {
      const id = await site.asset(keyOf(name), tag(index));
      await gateway.database.rows('update assets set name = $1 where id = $2', [name, id]);
    }
    const at = new Date().toISOString();
    const scans = ASSETS.map((_, index) => ({ tag_type: 'rfid', value: tag(index), observed_at: at }));
    await gateway.submit({ submission_id: ulid(), sent_at: at, location: { id: dock }, scans });
  });

  beforeEach(async () => {
    device = await browser.device();
  });

  const signedIn = async () => {
    app = await HandheldApp.signedIn(device, gateway.url, gateway.token);
  };

  it('sign in: empty, and with a fault', async () => {
    app = await HandheldApp.open(device, gateway.url);
    await app.shows('Token of this handheld');
    await look('sign-in');
    await app.signIn('hello');
    await app.shows('Not a handheld token.');
    await look('sign-in-fault');
  });

  it('scan: ready, and with each kind of result', async () => {
    await signedIn();
    await look('scan-ready');
    await app.scan('LOC-DOCK-1');
    await app.tells('place');
    await look('scan-place');
    await app.scan(tag(0));
    await app.tells('seen');
    await look('scan-seen');
    await app.choosePlace('Shelf A1');
    await app.scan(tag(1));
    await app.tells('moved');
    await look('scan-moved');
    await app.scan('4006381333931');
    await app.tells('problem');
    await look('scan-unknown');
    await device.context.setOffline(true);
    await app.shows('Offline');
    await app.scan(tag(2));
    await app.tells('queued');
    await look('scan-offline');
  });

  it('find: before, with what is found, an asset, and without a network', async () => {
    await signedIn();
    await app.goTo('Find');
    await look('find-empty');
    await app.page.getByLabel('Name, key or tag').fill('pallet');
    await app.shows('2 assets');
    await look('find');
    await app.page.locator('[data-asset="EURO-PALLET-2"]').click();
    await app.shows('Before that');
    await look('asset');
    await app.press('Find by signal');
    await app.shows('Listening …');
    await look('asset-signal');
    await device.context.setOffline(true);
    await app.shows('Offline');
    await app.press('Back');
    await app.page.getByLabel('Name, key or tag').fill('pump');
    await app.shows('from the device’s list of');
    await look('find-offline');
    await app.page.locator('[data-asset="PUMP-HOUSING"]').click();
    await app.shows('Shown as of');
    await look('asset-offline');
    await app.page.evaluate(`location.hash = '#asset/4711'`);
    await app.shows('this device does not know this asset');
    await look('asset-unknown');
  });

  it('scan: without a place, and with the question where that was', async () => {
    await signedIn();
    await device.context.setOffline(true);
    await app.scan(tag(2));
    await app.tells('problem');
    await look('scan-no-place');
    await app.choosePlace('Dock 1');
    await app.shows('1 scan has no place yet.');
    await look('scan-unplaced');
  });

  it('a browser that keeps nothing', async () => {
    await device.context.addInitScript(
      `indexedDB.open = () => { throw new DOMException('Denied', 'SecurityError'); };`,
    );
    app = await HandheldApp.open(device, gateway.url);
    await app.shows('This browser stores nothing');
    await look('no-memory');
  });

  it('the panels for typing and for the camera', async () => {
    await signedIn();
    await app.press('Type');
    await app.page.getByLabel('Printed value').waitFor();
    await look('type');
    await app.press('Close');
    await device.context.setOffline(true);
    await app.shows('Offline');
    await app.press('Camera');
    await app.shows('The code reader is not on this device yet');
    await look('camera');
  });

  it('the camera at work, while something is being sent', async () => {
    await device.context.addInitScript(
      `window.BarcodeDetector = class {
         static async getSupportedFormats() { return ['qr_code']; }
         async detect() { return []; }
       };
       MediaStreamTrack.prototype.getCapabilities = () => ({ torch: true, zoom: { min: 1, max: 4 } });`,
    );
    await signedIn();
    await app.page.route('**/submissions', () => {});
    await app.scan(tag(0));
    await app.waits(1);
    await look('scan-sending');
    await app.press('Camera');
    await app.page.getByLabel('Camera picture').waitFor();
    await app.press('Torch');
    await look('camera-at-work');
  });

  it('places: the roots, and inside one', async () => {
    await signedIn();
    await app.page.locator('.place-bar').click();
    await app.shows('Yard');
    await look('places');
    await app.page.getByRole('button', { name: '2 places in North warehouse' }).click();
    await app.shows('Aisle A');
    await look('places-inside');
  });

  it('sweep: before, in the middle, and over', async () => {
    await signedIn();
    await app.goTo('Sweep');
    await look('sweep-no-place');
    await app.choosePlace('Dock 1');
    await app.goTo('Sweep');
    await look('sweep-begin');
    await app.press('Sweep Dock 1');
    await app.shows('Scan all you find');
    await look('sweep-started');
    for (const value of [tag(0), tag(3), 'STRANGER', tag(4)]) {
      await app.scan(value);
    }
    await app.waits(0);
    await look('sweep');
    await app.press('Finish');
    await app.shows('Sweep finished');
    await look('sweep-over');
  });

  it('history: with a refusal, and settings', async () => {
    const { database } = gateway;
    const gone = await place('Gate 7');
    await signedIn();
    await app.choosePlace('Dock 1');
    await app.scan(tag(0));
    await app.scan('4006381333931');
    await app.waits(0);
    await app.choosePlace('Gate 7');
    await database.rows('update locations set deleted_at = now() where id = $1', [gone]);
    await app.scan(tag(5));
    await app.shows('refused, see history');
    await app.goTo('History');
    await app.shows('1 scan refused');
    await look('history-refused');
    await app.press('Discard');
    await app.shows('Yes, discard');
    await look('history-discard');
    await app.goTo('Settings');
    await look('settings');
    await app.press('Sign out');
    await app.shows('Yes, sign out');
    await look('settings-sure');
  });

  it('a token that was revoked', async () => {
    const { id, token } = await createHandheld(databaseOn(gateway.database.pool), TEST_ACTOR, {
      orgId: gateway.site.orgId,
      name: 'lost',
    });
    app = await HandheldApp.signedIn(device, gateway.url, token);
    await revokeHandheld(databaseOn(gateway.database.pool), TEST_ACTOR, id);
    await scanByWedge(app.page, tag(0));
    await app.shows('Please sign in again');
    await look('sign-in-again');
  });

  it('each verdict there is, on the screens for scanning and for sweeping', async () => {
    await signedIn();
    await app.choosePlace('Dock 1');
    await device.context.setOffline(true);
    await app.scan(tag(0));
    for (const [name, scan] of Object.entries(VERDICTS)) {
      await app.page.evaluate(lastScanAs({ ...scan, value: name }));
      await app.page.locator(`[data-latest="${name}"]`).waitFor();
      await states.look(app.page, `verdict-${name}`, '.latest', ['upright']);
    }
    await app.goTo('Sweep');
    await app.press('Sweep Dock 1');
    await app.shows('Scan all you find');
    await app.scan(tag(0));
    for (const [name, scan] of Object.entries(VERDICTS)) {
      await app.page.evaluate(lastScanAs({ ...scan, value: name }));
      await app.page.locator(`[data-latest="${name}"]`).waitFor();
      await states.look(app.page, `sweep-verdict-${name}`, '.latest', ['upright']);
    }
    await app.goTo('History');
    await app.shows('Taken back');
    await look('history-taken-back');
  });

  it('what was not taken, wherever that is said, and what cannot be sent', async () => {
    await signedIn();
    await app.choosePlace('Dock 1');
    await typeByWedge(app.page, 'PAL-4711-000815', { pause: { before: 9, lasts: 400 } });
    await app.shows('Broken: scan again');
    await look('broken');
    await app.goTo('Sweep');
    await app.press('Sweep Dock 1');
    await app.shows('Scan all you find');
    await typeByWedge(app.page, 'PAL-4711-000815', { pause: { before: 9, lasts: 400 }, delay: LATER_MS });
    await app.shows('Broken: scan again');
    await look('broken-sweep');
    await app.page.route('**/submissions', (route) => route.fulfill({ status: 502, body: 'Bad Gateway' }));
    await typeByWedge(app.page, tag(1), { delay: 2 * LATER_MS });
    await app.shows('No answer · 1 waiting');
    await app.goTo('History');
    await app.shows('1 scan not sent yet');
    await look('history-trouble');
  });

  it('sweeps whose list is not known, old or of later, each heap, and a place that is gone', async () => {
    const gone = await place('Gate 8');
    await signedIn();
    await app.isInstalled();
    await app.goTo('History');
    await look('history-empty');
    await app.goTo('Scan');
    await app.choosePlace('Gate 8');
    await device.context.setOffline(true);
    await app.shows('Offline');
    await app.goTo('Sweep');
    await app.press('Sweep Gate 8');
    await app.shows('Scan all you find');
    await look('sweep-unknown');
    await app.press('Finish');
    await app.shows('Sweep finished');
    await look('sweep-unknown-over');
    await device.context.setOffline(false);
    await app.shows('Nothing was expected here');
    await look('sweep-later-over');
    await app.press('Done');
    await device.context.setOffline(true);
    await app.shows('Offline');
    await app.press('Sweep Gate 8');
    await app.press('Finish');
    await app.shows('There was no network. Uses the list of');
    await look('sweep-earlier-over');
    await app.press('Go on');
    await app.shows('Scan all you find');
    await app.scan(tag(0));
    const elsewhere = { id: gone + 1_000, external_key: 'X', name: 'Elsewhere' };
    const result = { status: 'moved', asset: ASSET, location: elsewhere, from: null };
    await app.page.evaluate(lastScanAs({ state: 'done', result }));
    await app.shows('Recorded elsewhere');
    for (const heap of ['Found', 'Moved here', 'To find', 'Unknown', 'To check']) {
      await app.page.getByRole('button', { name: heap }).click();
      await app.page.getByRole('list', { name: heap }).waitFor();
      await look(`sweep-heap-${keyOf(heap)}`, '.shelf');
    }
    await gateway.database.rows('update locations set deleted_at = now() where id = $1', [gone]);
    await device.context.setOffline(false);
    await app.shows('Somebody deleted this place');
    await look('sweep-gone');
    await app.press('Finish');
    await app.shows('Sweep finished');
    await look('sweep-gone-over');
    await app.press('Done');
    await app.page.locator('.place-bar').click();
    await app.page.getByLabel('Search places').fill('no such');
    await app.shows('No place has this name.');
    await look('places-none');
  });

  it('a sweep that only checks: before, with what is elsewhere, and over', async () => {
    await signedIn();
    await app.choosePlace('Dock 1');
    await app.choosePlace('Yard');
    await app.page.locator('.place-bar').click();
    await app.page.getByRole('list', { name: 'Recent' }).waitFor();
    await look('places-recent');
    await app.goTo('Sweep');
    await app.page.getByRole('radio', { name: 'Only check' }).check();
    await look('sweep-check-begin');
    await app.press('Sweep Yard');
    await app.scan(tag(4));
    await app.tells('problem');
    await app.page.getByRole('button', { name: 'Elsewhere' }).click();
    await app.shows('Move these here');
    await look('sweep-check');
    await app.press('Finish');
    await app.shows('Sweep finished');
    await look('sweep-check-over');
  });

  it('each kind of list that a sweep may be compared with, under way and over', async () => {
    await signedIn();
    await app.isInstalled();
    await app.goTo('Sweep');
    await device.context.setOffline(true);
    for (const [kept, fetched_at] of [
      ['none', null],
      ['list', '2026-05-04T08:00:00.000Z'],
    ] as const) {
      for (const list of LISTS) {
        for (const finished_at of [null, '2026-05-04T08:10:00.000Z']) {
          const name = `sweep-of-${list}-${kept}-${finished_at === null ? 'under-way' : 'over'}`;
          const place = { ...PLACE, name };
          const expected = fetched_at === null ? null : [{ ...ASSET, tags: [] }];
          const sweep = { id: name, place, started_at: '2026-05-04T08:00:00.000Z', finished_at };
          await app.page.evaluate(keep('sweep', { ...sweep, expected, fetched_at, list }));
          await app.page.locator('.sweep', { hasText: name }).waitFor();
          await states.look(app.page, name, '.sweep', ['upright']);
        }
      }
    }
  });

  it('each way in which a scan can be broken', async () => {
    await signedIn();
    const broken = Object.keys(en.broken).map((why, index) => ({
      why,
      parts: index === 0 ? [] : [why.toUpperCase(), '000815'],
      at: new Date().toISOString(),
    }));
    await app.page.evaluate(keep('broken', broken));
    await app.goTo('History');
    for (const { why } of broken.slice(1)) {
      await app.shows(`“${why.toUpperCase()}”`);
    }
    await look('history-broken');
  });

  it('a token of another handheld while scans wait, and a scan while signing in again', async () => {
    const { orgId } = gateway.site;
    const lost = await createHandheld(databaseOn(gateway.database.pool), TEST_ACTOR, { orgId, name: 'lost' });
    app = await HandheldApp.signedIn(device, gateway.url, lost.token);
    await app.choosePlace('Dock 1');
    await revokeHandheld(databaseOn(gateway.database.pool), TEST_ACTOR, lost.id);
    await scanByWedge(app.page, tag(0));
    await app.shows('Please sign in again');
    await app.signIn(gateway.token);
    await app.shows('This is another handheld’s token');
    await look('sign-in-another');
  });

  it('an update that is ready', async () => {
    await signedIn();
    await app.isInstalled();
    // As if the worker that there is were one that waits; `updates.test.ts` has a real one.
    await device.context.addInitScript(
      `Object.defineProperty(ServiceWorkerRegistration.prototype, 'waiting', { get() { return this.active; } });`,
    );
    await app.page.reload();
    await app.shows('A new version is ready.');
    await look('update');
  });

  it('leads the focus through a screen in the order of what is seen', async () => {
    await signedIn();
    const order: string[] = [];
    for (let step = 0; step < 11; step++) {
      await app.page.keyboard.press('Tab');
      order.push(await app.page.evaluate<string>(FOCUSED));
    }
    expect(order).to.deep.equal([
      'tagtrail: scan',
      'All sent',
      'No place yet Where are you?',
      'auto',
      'Camera',
      'Type',
      'Scan',
      'Find',
      'Sweep',
      'History',
      'Settings',
    ]);
  });

  after('leaves nothing of the stylesheets that was never looked at', () => {
    expect(states.unseen()).to.deep.equal([]);
  });

  async function place(name: string, parent: number | null = null): Promise<number> {
    const id = await gateway.site.location(keyOf(name), parent);
    await gateway.database.rows('update locations set name = $1 where id = $2', [name, id]);
    return id;
  }

  /** Checks a screen with axe in every theme and layout, and keeps how it looks. */
  const look = (name: string, within?: string) => states.look(app.page, name, within);
});

const PLACE = { id: 1, external_key: 'DOCK-1', name: 'Dock 1' };
const ASSET = { id: 1, external_key: 'FORKLIFT-4', name: 'Forklift 4' };

/** A scan in each state that there is, and under each status that the gateway may give, or a later version of it. */
const VERDICTS: Record<string, object> = {
  kept: { state: 'queued', result: null, sets: null },
  'no-place-yet': { state: 'queued', result: null, place: null },
  sets: { state: 'queued', result: null, sets: PLACE },
  refused: { state: 'refused', result: null },
  ...Object.fromEntries(
    [...STATUSES, 'of-a-later-version'].map((status) => [
      status,
      { state: 'done', result: { status, asset: ASSET, location: null, from: null } },
    ]),
  ),
  elsewhere: {
    state: 'done',
    result: { status: 'seen', asset: ASSET, location: { ...PLACE, id: 4711 }, from: null },
  },
  held: { state: 'held', result: null },
  'held-unknown': { state: 'held', result: { status: 'unknown', asset: null, location: null, from: null } },
  withdrawn: { state: 'withdrawn', result: null },
  'not-taken-back': { state: 'done', undo: { id: 'X', state: 'refused', reason: 'It is too late.' } },
  'to-be-taken-back': { state: 'done', undo: { id: 'X', state: 'asked', reason: null } },
  'taken-back': { state: 'done', undo: { id: 'X', state: 'done', reason: null } },
};

/** Changes the last scan that the device keeps, as another tab might, and tells the app. */
const lastScanAs = (scan: object) => `new Promise((resolve) => {
  const opening = indexedDB.open('tagtrail');
  opening.onsuccess = () => {
    const transaction = opening.result.transaction('scans', 'readwrite');
    transaction.objectStore('scans').openCursor(null, 'prev').onsuccess = ({ target }) => {
      target.result.update({ ...target.result.value, ...${JSON.stringify(scan)} });
    };
    transaction.oncomplete = () => {
      opening.result.close();
      new BroadcastChannel('tagtrail-queue').postMessage('changed');
      resolve();
    };
  };
})`;

/** Keeps a value on the device, as another tab might, and tells the app. */
const keep = (name: string, value: unknown) => `new Promise((resolve) => {
  const opening = indexedDB.open('tagtrail');
  opening.onsuccess = () => {
    const transaction = opening.result.transaction('kept', 'readwrite');
    transaction.objectStore('kept').put(${JSON.stringify(value)}, '${name}');
    transaction.oncomplete = () => {
      opening.result.close();
      new BroadcastChannel('tagtrail-queue').postMessage('changed');
      resolve();
    };
  };
})`;

const keyOf = (name: string) => name.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '-');

const FOCUSED = `(() => {
  const { ariaLabel, innerText, value } = document.activeElement;
  return (ariaLabel ?? (innerText || value)).replace(/\\s+/g, ' ').trim();
})()`;
