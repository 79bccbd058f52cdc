import { expect } from 'chai';
import { ulid } from 'ulid';
import { type Device, useBrowser } from '../../support/browser.ts';
import { useGateway } from '../../support/gateway.ts';
import { HandheldApp } from '../../support/handheld-app.ts';
import { itByNight } from '../../support/random-sets.ts';

const HOUR = 3_600_000;
const tag = (number: number) => `E2801160000002091234${String(number).padStart(4, '0')}`;

describe('a sweep that was finished with the handheld app', () => {
  const gateway = useGateway();
  const { database } = gateway;
  const browser = useBrowser();
  let shelf: number;
  let totes: number[];

  before(async () => {
    const { site } = gateway;
    shelf = await site.location('SHELF-1');
    await site.location('SHELF-2');
    totes = [];
    for (const number of [1, 2, 3, 4]) {
      totes.push(await site.asset(`TOTE-${number}`, tag(number)));
    }
  });

  /** Totes 1 to 3 are at the shelf, tote 4 is at the other one. */
  beforeEach(async () => {
    await database.empty('sweeps, sweep_assets');
    const at = new Date(Date.now() - 4 * HOUR).toISOString();
    await database.empty('scan_events, location_transitions, positions');
    for (const [key, numbers] of Object.entries({ 'SHELF-1': [1, 2, 3], 'SHELF-2': [4] })) {
      const scans = numbers.map((number) => ({ tag_type: 'rfid', value: tag(number), observed_at: at }));
      const submission = {
        ...{ submission_id: ulid(), sent_at: new Date().toISOString() },
        ...{ location: { external_key: key }, scans },
      };
      expect((await gateway.submit(submission)).status).to.equal(201);
    }
  });

  async function begin(app: HandheldApp): Promise<void> {
    await app.choosePlace('SHELF-1');
    await app.goTo('Sweep');
    await app.press('Sweep SHELF-1');
  }

  interface Recorded {
    id: string;
    location_id: number;
    expected: number[];
    found: number[];
    moved_here: number[];
    missing: number[];
    unknown: string[];
    took: number;
    ago: number;
    after_scans: boolean;
  }
  const recorded = () =>
    database.rows<Recorded>(
      `select id, location_id, unknown_tags as unknown,
         ${['expected', 'found', 'moved_here', 'missing'].map(
           (list) => `array(select asset_id from sweep_assets swept
             where swept.org_id = sweep.org_id and sweep_id = id and swept.${list} order by asset_id) as ${list}`,
         )},
         extract(epoch from ended_at - began_at)::float8 as took,
         extract(epoch from received_at - ended_at)::float8 as ago,
         received_at >= (select max(received_at) from submissions) as after_scans
       from sweeps sweep order by received_at`,
    );
  const totesOf = (...numbers: number[]) => numbers.map((number) => totes[number - 1]);

  it('is recorded as its screen shows it, when its scans are', async () => {
    const app = await HandheldApp.signedIn(await browser.device(), gateway.url, gateway.token);
    await begin(app);
    for (const value of [tag(1), tag(4), 'STRANGER-1', tag(2)]) {
      await app.scan(value);
    }
    await app.press('Finish');
    await app.shows('1 of 3 missing');
    await app.waits(0);
    await app.shows('All sent');
    const [sweep, ...others] = await recorded();
    expect(others).to.deep.equal([]);
    expect(sweep).to.deep.include({
      location_id: shelf,
      expected: totesOf(1, 2, 3),
      found: totesOf(1, 2),
      moved_here: totesOf(4),
      missing: totesOf(3),
      unknown: ['STRANGER-1'],
      after_scans: true,
    });
    await app.press('Done');
    await app.waits(0);
    expect(await recorded()).to.have.lengthOf(1);
  });

  it('waits on the device without a network, also while the app is closed, and goes out once, after its scans', async () => {
    const device = await browser.device();
    // The device's clock is three hours behind.
    const began = Date.now() - 3 * HOUR;
    await device.setTime(began);
    const app = await HandheldApp.signedIn(device, gateway.url, gateway.token);
    await app.isInstalled();
    await begin(app);
    await app.page.getByRole('img', { name: '0 of 3 found' }).waitFor();
    await app.press('Finish');
    await app.waits(0);
    await app.press('Done');
    await device.context.setOffline(true);
    await app.shows('Offline');

    await device.setTime(began + 60_000);
    await begin(app);
    await app.scan(tag(1));
    await app.scan('STRANGER-2');
    await device.setTime(began + 660_000);
    await app.press('Finish');
    await app.waits(3);
    await app.press('Done');
    await app.shows('3 waiting');
    await app.page.close();

    const reopened = await HandheldApp.open(device, gateway.url);
    await reopened.waits(3);
    await device.setTime(began + 1_860_000);
    await device.context.setOffline(false);
    await reopened.waits(0);
    const sweeps = await recorded();
    expect(sweeps).to.have.lengthOf(2);
    expect(sweeps[0]).to.deep.include({ missing: totesOf(1, 2, 3), found: [] });
    expect(sweeps[1]).to.deep.include({
      expected: totesOf(1, 2, 3),
      found: totesOf(1),
      missing: totesOf(2, 3),
      unknown: ['STRANGER-2'],
      after_scans: true,
    });
    // By the device's clock it took ten minutes, twenty minutes ago.
    expect(Math.round(sweeps[1]?.took ?? 0)).to.be.within(600, 660);
    expect(Math.round(sweeps[1]?.ago ?? 0)).to.be.within(1_195, 1_260);
  });

  itByNight('goes out though nobody says that it is done with, as it is shown then', async () => {
    const device = await browser.device();
    const app = await HandheldApp.signedIn(device, gateway.url, gateway.token);
    await app.isInstalled();
    await device.context.setOffline(true);
    await app.shows('Offline');
    await begin(app);
    await app.scan(tag(1));
    await app.press('Finish');
    await app.shows('Sweep finished');
    await app.shows('It is not known what should be here');
    await app.waits(2);
    await app.page.close();
    const reopened = await HandheldApp.open(device, gateway.url);
    await reopened.shows('Offline');
    await reopened.waits(2);
    await device.context.setOffline(false);
    await reopened.waits(0);
    await reopened.goTo('Sweep');
    await reopened.shows('2 of 3 missing');
    expect(await recorded()).to.have.lengthOf(1);
    expect((await recorded())[0]).to.deep.include({
      expected: totesOf(1, 2, 3),
      found: totesOf(1),
      missing: totesOf(2, 3),
    });
  });

  it('is never recorded as that of an empty place: who is done before the list is there has it sent afterwards', async () => {
    const device = await browser.device({ serviceWorkers: 'block' });
    let isRefused = true;
    await device.context.route('**/handheld/v1/locations/*/assets?*', (route) =>
      isRefused ? route.fulfill({ status: 503, json: { error: { detail: 'Too busy' } } }) : route.continue(),
    );
    const app = await HandheldApp.signedIn(device, gateway.url, gateway.token);
    await begin(app);
    await app.scan(tag(1));
    await app.press('Finish');
    await app.shows('It is not known what should be here');
    await app.press('Done');
    await app.waits(1);
    expect(await recorded()).to.deep.equal([]);
    isRefused = false;
    await app.page.evaluate(`window.dispatchEvent(new Event('online'))`);
    await app.waits(0);
    expect(await recorded()).to.have.lengthOf(1);
    expect((await recorded())[0]).to.deep.include({
      expected: totesOf(1, 2, 3),
      found: totesOf(1),
      missing: totesOf(2, 3),
    });
  });

  it('is not sent of a sweep with which the user goes on before that', async () => {
    const device = await browser.device();
    const app = await HandheldApp.signedIn(device, gateway.url, gateway.token);
    await app.isInstalled();
    await begin(app);
    await app.page.getByRole('img', { name: '0 of 3 found' }).waitFor();
    await device.context.setOffline(true);
    await app.shows('Offline');
    await app.press('Finish');
    await app.waits(1);
    await app.press('Go on');
    await app.waits(0);
    await app.scan(tag(2));
    await app.press('Finish');
    await app.waits(2);
    await device.context.setOffline(false);
    await app.waits(0);
    expect(await recorded()).to.have.lengthOf(1);
    expect((await recorded())[0]).to.deep.include({ found: totesOf(2), missing: totesOf(1, 3) });
  });

  itByNight('is sent again under its id when the answer did not come back, and recorded once', async () => {
    // What the worker lets pass cannot be held up here.
    const device = await browser.device({ serviceWorkers: 'block' });
    const app = await HandheldApp.signedIn(device, gateway.url, gateway.token);
    const sent: string[] = [];
    await device.context.route('**/sweeps', async (route) => {
      sent.push(route.request().postDataJSON().sweep_id);
      const answer = await route.fetch();
      await (sent.length === 1 ? route.abort('connectionreset') : route.fulfill({ response: answer }));
    });
    await begin(app);
    await app.press('Finish');
    await app.shows('3 of 3 missing');
    await app.waits(0);
    expect(sent).to.have.lengthOf(2);
    expect(new Set(sent)).to.have.lengthOf(1);
    expect((await recorded()).map(({ id }) => id)).to.deep.equal([sent[0]]);
  });

  describe('and is refused', () => {
    let app: HandheldApp;
    let device: Device;
    beforeEach(async () => {
      device = await browser.device({ serviceWorkers: 'block' });
      app = await HandheldApp.signedIn(device, gateway.url, gateway.token);
      // The gateway has another body under its id.
      await device.context.route(
        '**/sweeps',
        async (route) => {
          const other = { ...route.request().postDataJSON(), missing: [] };
          expect((await route.fetch({ postData: JSON.stringify(other) })).status()).to.equal(201);
          await route.continue();
        },
        { times: 1 },
      );
      await begin(app);
      // What is sent then is what is shown: without its list, nothing would be missing, and both bodies the same.
      await app.page.getByRole('img', { name: '0 of 3 found' }).waitFor();
      await app.press('Finish');
      await app.press('Done');
      await app.waits(0);
      await app.page.getByText('1 refused, see history').waitFor({ state: 'attached' });
      await app.page.reload();
      await app.goTo('History');
      await app.shows('Sweep of SHELF-1 refused');
      await app.shows('was received before with another body');
    });

    it('stays in sight with its reason, over a restart too, and can be sent again', async () => {
      await app.press('Send again');
      await app.page.getByText('Sweep of SHELF-1 refused').waitFor({ state: 'detached' });
      await app.waits(0);
      const [other, sweep] = await recorded();
      expect([other?.missing, sweep?.missing]).to.deep.equal([[], totesOf(1, 2, 3)]);
    });

    it('is discarded when the user says so twice', async () => {
      await app.press('Discard');
      await app.shows('Sweep of SHELF-1 refused');
      await app.press('Yes, discard');
      await app.page.getByText('Sweep of SHELF-1 refused').waitFor({ state: 'detached' });
      expect(await recorded()).to.have.lengthOf(1);
    });
  });
});
