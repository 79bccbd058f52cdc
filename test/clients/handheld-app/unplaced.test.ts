import { expect } from 'chai';
import { isUnplaced } from '../../../clients/handheld-app/src/queue/unplaced.ts';
import { type Device, scanByWedge, useBrowser } from '../../support/browser.ts';
import { useGateway } from '../../support/gateway.ts';
import { HandheldApp } from '../../support/handheld-app.ts';
import { holdAfterReading, letGo } from '../../support/held-storage.ts';
import { placed, result, scan } from './scans.ts';

const tag = (number: number) => `E2801160000002091234${String(number).padStart(4, '0')}`;

describe('scans that are made before anybody said where', () => {
  const gateway = useGateway();
  const browser = useBrowser();
  let device: Device;
  let app: HandheldApp;

  before(async () => {
    const { site } = gateway;
    const dock = await site.location('DOCK-1');
    await site.tag({ locationId: dock }, 'LOC-DOCK-1', 'barcode');
    await site.location('DOCK-2');
    for (const number of [1, 2, 3, 4]) {
      await site.asset(`PALLET-${number}`, tag(number));
    }
  });

  beforeEach(async () => {
    await gateway.database.rows('delete from scan_events');
    device = await browser.device();
    await HandheldApp.feel(device);
    app = await HandheldApp.signedIn(device, gateway.url, gateway.token);
    await app.isInstalled();
  });

  it('are told from others by their sound and their colour', async () => {
    await device.context.setOffline(true);
    await app.scan(tag(1));
    await app.tells('problem');
    await app.shows('Choose where you are.');
    await app.choosePlace('DOCK-1');
    // The place is felt when it is stored, which is after it is shown.
    const before = await app.feels(2);
    await app.scan(tag(1));
    await app.tells('queued');
    const after = await app.felt();
    expect(after).to.have.length(before.length + 1);
    expect(after.at(-1)).not.to.equal(before[0]);
  });

  it('are put at the place that is chosen, if the user says so, and recorded there', async () => {
    await device.context.setOffline(true);
    for (const number of [1, 2, 3]) {
      await app.scan(tag(number));
    }
    await app.choosePlace('DOCK-1');
    await app.scan(tag(4));
    await app.shows('3 scans have no place yet.');
    // Closing the app does not spare the question.
    await app.page.reload();
    await app.press('Put them at DOCK-1');
    await app.page.getByText('have no place').waitFor({ state: 'detached' });
    await device.context.setOffline(false);
    await app.waits(0);
    expect(await recorded()).to.deep.equal(
      [1, 2, 3, 4].map((number) => ({ asset: `PALLET-${number}`, location: 'DOCK-1' })),
    );
  });

  it('are sent anew if they were sent without a place before', async () => {
    await app.scan(tag(1));
    await app.shows('Not recorded.');
    await app.scan('LOC-DOCK-1');
    await app.shows('1 scan has no place yet.');
    await app.press('Put it at DOCK-1');
    await app.page.getByText('has no place').waitFor({ state: 'detached' });
    await app.waits(0);
    expect(await recorded()).to.deep.equal([{ asset: 'PALLET-1', location: 'DOCK-1' }]);
  });

  it('are asked for when they were made at the moment of signing in, before all was read from a slow device', async () => {
    const slow = await browser.device();
    app = await HandheldApp.open(slow, gateway.url);
    await app.page.getByLabel('Token of this handheld').waitFor();
    await holdAfterReading(app.page, 'walk');
    await app.signIn(gateway.token);
    await app.shows('All sent');
    await scanByWedge(app.page, tag(1));
    await letGo(app.page);
    await app.shows('Not recorded.');
    await app.scan('LOC-DOCK-1');
    await app.shows('1 scan has no place yet.');
  });

  it('are asked for when the gateway knew the place’s tag and the device did not, too', async () => {
    await app.scan(tag(1));
    await app.shows('Not recorded.');
    const gate = await gateway.site.location('GATE-3');
    await gateway.site.tag({ locationId: gate }, 'LOC-GATE-3', 'barcode');
    await app.scan('LOC-GATE-3');
    await app.press('Put it at GATE-3');
    await app.page.getByText('has no place').waitFor({ state: 'detached' });
    await app.waits(0);
    expect(await recorded()).to.deep.equal([{ asset: 'PALLET-1', location: 'GATE-3' }]);
  });

  it('are put there even if they are under way without a place', async () => {
    let isAnswered = false;
    const held = await browser.device({ serviceWorkers: 'block' });
    app = await HandheldApp.signedIn(held, gateway.url, gateway.token);
    await held.context.route('**/submissions', (route) =>
      isAnswered ? route.continue() : route.abort('connectionreset'),
    );
    await app.scan(tag(1));
    await app.shows('No answer · 1 waiting');
    await app.scan(tag(2));
    await app.choosePlace('DOCK-1');
    await app.press('Put them at DOCK-1');
    await app.page.getByText('have no place').waitFor({ state: 'detached' });
    isAnswered = true;
    await app.waits(0);
    expect(await recorded()).to.deep.equal(
      [1, 2].map((number) => ({ asset: `PALLET-${number}`, location: 'DOCK-1' })),
    );
  });

  it('stay without one if the user leaves them', async () => {
    await device.context.setOffline(true);
    await app.scan(tag(1));
    await app.choosePlace('DOCK-2');
    await app.scan(tag(2));
    await app.press('Leave it');
    await app.page.getByText('has no place').waitFor({ state: 'detached' });
    await device.context.setOffline(false);
    await app.waits(0);
    expect(await recorded()).to.deep.equal([{ asset: 'PALLET-2', location: 'DOCK-2' }]);
  });

  /** What was recorded, in the order in which it was scanned. */
  function recorded() {
    return gateway.database.rows<{ asset: string; location: string }>(
      `select assets.external_key as asset, locations.external_key as location from scan_events
         join assets on assets.org_id = scan_events.org_id and assets.id = asset_id
         join locations on locations.org_id = scan_events.org_id and locations.id = location_id
        order by observed_at`,
    );
  }
});

describe('whether a place may still be given to a scan', () => {
  for (const [what, given, is] of [
    ['it waits without one', { place: null }, true],
    ['it was sent without one', { place: null, state: 'done', result: result('no_location') }, true],
    ['it is under way without one', { place: null, state: 'bundled' }, true],
    ['it was refused', { place: null, state: 'refused' }, false],
    ['it was recorded as an unknown tag', { place: null, state: 'done', result: result('unknown') }, false],
    ['it is a place’s tag itself', { place: null, sets: placed(2) }, false],
    ['it has one', {}, false],
  ] as const) {
    it(`${is ? 'yes' : 'no'}: ${what}`, () => {
      expect(isUnplaced(scan(1, given))).to.equal(is);
    });
  }
});
