import { expect } from 'chai';
import { ulid } from 'ulid';
import { type Device, scanByWedge, useBrowser } from '../../support/browser.ts';
import { useGateway } from '../../support/gateway.ts';
import { HandheldApp } from '../../support/handheld-app.ts';
import { itByNight } from '../../support/random-sets.ts';

const tag = (number: number) => `E2801160000002091234${String(number).padStart(4, '0')}`;

/** A sweep says so until its list has come, or will not come. */
const UNSETTLED = /Fetching the list|until the new one arrives/;

const HEAPS = ['Found', 'Moved here', 'Missing', 'Unknown'];

/** Work on the app's store of scans, as a promise of what the last request gives. */
const onScans = (work: string) => `new Promise((resolve, reject) => {
  const opening = indexedDB.open('tagtrail');
  opening.onsuccess = () => {
    const transaction = opening.result.transaction('scans', 'readwrite');
    const scans = transaction.objectStore('scans');
    const done = (value) => { opening.result.close(); resolve(value); };
    transaction.onabort = () => reject(transaction.error);
    ${work}
  };
})`;

const COUNT_SCANS = onScans('scans.count().onsuccess = ({ target }) => done(target.result);');

/** Stores the last scan so many times more: what an RFID sled does, sooner than a test could. */
const repeatLastScan = (times: number) =>
  onScans(`scans.openCursor(null, 'prev').onsuccess = ({ target }) => {
    const { seq, ...scan } = target.result.value;
    for (let time = 0; time < ${times}; time++) scans.add(scan);
    transaction.oncomplete = () => done();
  };`);

describe('a sweep with the handheld app', () => {
  const gateway = useGateway();
  const browser = useBrowser();
  let shelf: number;

  before(async () => {
    const { site } = gateway;
    shelf = await site.location('SHELF-1');
    const other = await site.location('SHELF-2');
    await site.tag({ locationId: other }, 'LOC-SHELF-2', 'barcode');
    for (const number of [1, 2, 3, 4]) {
      await site.asset(`TOTE-${number}`, tag(number));
    }
  });

  beforeEach(async () => {
    // Totes 1 to 3 are at the shelf, tote 4 at the other one.
    const at = new Date().toISOString();
    for (const [key, numbers] of Object.entries({ 'SHELF-1': [1, 2, 3], 'SHELF-2': [4] })) {
      const scans = numbers.map((number) => ({ tag_type: 'rfid', value: tag(number), observed_at: at }));
      const answer = await gateway.submit({
        submission_id: ulid(),
        sent_at: at,
        location: { external_key: key },
        scans,
      });
      expect(answer.status, answer.text).to.equal(201);
    }
  });

  it('ends in found, moved here, missing and unknown', async () => {
    const app = await HandheldApp.signedIn(await browser.device(), gateway.url, gateway.token);
    await begin(app);
    await app.scan(tag(1));
    await app.tells('seen');
    await app.scan(tag(4));
    await app.tells('moved');
    await app.scan('STRANGER-1');
    await app.tells('problem');
    await app.scan(tag(2));
    await app.tells('seen');
    await app.press('Finish');
    await app.shows('1 of 3 missing');
    expect(await heaps(app)).to.deep.equal({
      Found: ['TOTE-1', 'TOTE-2'],
      'Moved here': ['TOTE-4'],
      Missing: ['TOTE-3'],
      Unknown: ['STRANGER-1'],
    });
    expect(await assetsAtShelf()).to.deep.equal(['TOTE-1', 'TOTE-2', 'TOTE-3', 'TOTE-4']);
  });

  it('works without a network, by the last list, and is the same when the network is back', async () => {
    const device = await browser.device();
    const app = await HandheldApp.signedIn(device, gateway.url, gateway.token);
    await app.isInstalled();
    await begin(app);
    await app.press('Finish');
    await app.shows('3 of 3 missing');
    await app.press('Done');
    // The other shelf's list tells the device whose tag tote 4 has.
    await begin(app, 'SHELF-2');
    await app.press('Finish');
    await app.press('Done');

    await device.context.setOffline(true);
    await begin(app);
    for (const value of [tag(1), tag(2), tag(3), tag(4), 'STRANGER-2']) {
      await app.scan(value);
    }
    // Closing the app in the middle of it loses nothing.
    await app.page.close();
    const reopened = await HandheldApp.open(device, gateway.url);
    await reopened.goTo('Sweep');
    await reopened.press('Finish');
    await reopened.shows('All 3 are here');
    const heapsThen = {
      Found: ['TOTE-1', 'TOTE-2', 'TOTE-3'],
      'Moved here': ['TOTE-4'],
      Missing: [],
      Unknown: ['STRANGER-2'],
    };
    expect(await heaps(reopened)).to.deep.equal(heapsThen);
    await device.context.setOffline(false);
    await reopened.waits(0);
    await reopened.page.getByRole('button', { name: 'Unknown' }).click();
    await reopened.shows('No asset has this tag');
    expect(await heaps(reopened)).to.deep.equal(heapsThen);
    expect(await assetsAtShelf()).to.deep.equal(['TOTE-1', 'TOTE-2', 'TOTE-3', 'TOTE-4']);
  });

  describe('without a network and without a list of the place', () => {
    let device: Device;
    let app: HandheldApp;
    beforeEach(async () => {
      device = await browser.device();
      app = await HandheldApp.signedIn(device, gateway.url, gateway.token);
      await app.isInstalled();
      await device.context.setOffline(true);
      await app.shows('Offline');
    });

    it('says that it cannot know what is missing, and is completed when the network is back', async () => {
      await begin(app);
      await app.page.getByRole('img', { name: '0 of nobody knows how many found' }).waitFor();
      for (const value of [tag(1), tag(4)]) {
        await app.scan(value);
      }
      await app.press('Finish');
      await app.shows('It is not known what should be here');
      await app.shows('What is missing is shown once there is a list.');
      expect(await app.page.locator('.tag.tone-moved').count()).to.equal(0);
      expect(await app.page.getByRole('button', { name: 'Missing' }).textContent()).to.include('Not known');
      expect(await app.page.getByText('Nothing is missing.').count()).to.equal(0);
      await app.waits(3);
      // Closing the app in between changes nothing of that.
      await app.page.close();
      const reopened = await HandheldApp.open(device, gateway.url);
      await reopened.goTo('Sweep');
      await reopened.shows('It is not known what should be here');
      await device.context.setOffline(false);
      await reopened.shows('2 of 3 missing');
      await reopened.shows('Compared with what should be here as of');
      await reopened.waits(0);
      // What it moved here was elsewhere before, though the list of now has it.
      expect(await heaps(reopened)).to.deep.equal({
        Found: ['TOTE-1'],
        'Moved here': ['TOTE-4'],
        Missing: ['TOTE-2', 'TOTE-3'],
        Unknown: [],
      });
    });

    itByNight('says while it is under way that it is compared with a list of later', async () => {
      await begin(app);
      await app.shows('There was no network and no list of what should be here.');
      await device.context.setOffline(false);
      await app.page.getByRole('img', { name: '0 of 3 found' }).waitFor();
      await app.shows('when the network was back');
    });

    it('says that the place was deleted meanwhile, and not that nothing is missing', async () => {
      const id = await gateway.site.location('SHORT-LIVED');
      await device.context.setOffline(false);
      await app.page.reload();
      await app.choosePlace('SHORT-LIVED');
      await device.context.setOffline(true);
      await app.shows('Offline');
      await app.goTo('Sweep');
      await app.press('Sweep SHORT-LIVED');
      await app.press('Finish');
      await gateway.database.rows('update locations set deleted_at = now() where id = $1', [id]);
      await device.context.setOffline(false);
      await app.shows('This place no longer exists');
      expect(await app.page.locator('.tag.tone-moved').count()).to.equal(0);
    });
  });

  itByNight('goes by an earlier list only until there is a newer one, and says so', async () => {
    const device = await browser.device();
    await gateway.site.location('SHELF-3');
    await gateway.site.asset('TOTE-11', tag(11));
    await scanElsewhere(tag(11), 'SHELF-3');
    const app = await HandheldApp.signedIn(device, gateway.url, gateway.token);
    await app.isInstalled();
    await begin(app, 'SHELF-3');
    await app.press('Finish');
    await app.press('Done');
    await device.context.setOffline(true);
    await app.shows('Offline');
    await device.setTime(Date.now() + 86_400_000);
    await begin(app, 'SHELF-3');
    await app.scan(tag(11));
    await app.press('Finish');
    await app.shows('All 1 are here');
    await app.shows('There was no network. Uses the list of');
    expect(await app.page.locator('.tag.tone-moved').count()).to.equal(0);
    // Meanwhile another one came that nobody scanned.
    await gateway.site.asset('TOTE-12', tag(12));
    await scanElsewhere(tag(12), 'SHELF-3');
    await device.context.setOffline(false);
    await app.shows('1 of 2 missing');
  });

  itByNight('takes a list that changes while it is read for none, and reads it anew', async () => {
    const device = await browser.device({ serviceWorkers: 'block' });
    const app = await HandheldApp.signedIn(device, gateway.url, gateway.token);
    let answers = 0;
    await device.context.route('**/locations/*/assets?limit=*', async (route) => {
      const answer = await route.fetch();
      const body = (await answer.json()) as { data: unknown[] };
      answers += 1;
      await route.fulfill({
        response: answer,
        json: answers === 1 ? { ...body, data: body.data.slice(1) } : body,
      });
    });
    await begin(app);
    await app.page.getByRole('img', { name: '0 of 3 found' }).waitFor();
    expect(answers).to.equal(2);
  });

  itByNight('stays as it is when the app is closed after thousands of repeats of a tag', async () => {
    const app = await HandheldApp.signedIn(await browser.device(), gateway.url, gateway.token);
    await begin(app);
    for (const value of [tag(1), tag(4), tag(2)]) {
      await app.scan(value);
    }
    await app.waits(0);
    await app.page.evaluate(repeatLastScan(2_100));
    await app.page.reload();
    // The device forgets what need not be shown any more.
    await app.page.evaluate(`(async () => { while ((await ${COUNT_SCANS}) > 2_100); })()`);
    await app.page.reload();
    await app.goTo('Sweep');
    await app.press('Finish');
    await app.shows('1 of 3 missing');
    expect(await heaps(app)).to.deep.equal({
      Found: ['TOTE-1', 'TOTE-2'],
      'Moved here': ['TOTE-4'],
      Missing: ['TOTE-3'],
      Unknown: [],
    });
  });

  it('stays at its place when the tag of another one is scanned', async () => {
    const app = await HandheldApp.signedIn(await browser.device(), gateway.url, gateway.token);
    await begin(app);
    await app.type('LOC-SHELF-2');
    await app.shows('You are sweeping SHELF-1. Finish that first.');
    await app.scan(tag(4));
    await app.tells('moved');
    await app.waits(0);
    expect(await assetsAtShelf()).to.include('TOTE-4');
  });

  itByNight('is not finished by the second key with which a scanner ends', async () => {
    const app = await HandheldApp.signedIn(await browser.device(), gateway.url, gateway.token);
    await begin(app);
    for (const [number, ends] of [
      [1, ['Enter', 'Enter']],
      [2, ['Tab', 'Enter']],
    ] as const) {
      await app.page.getByRole('button', { name: 'Finish' }).focus();
      await scanByWedge(app.page, tag(number), ...ends);
      await app.page.locator(`[data-latest="${tag(number)}"]`).waitFor();
    }
    await app.page.getByRole('img', { name: '2 of 3 found' }).waitFor();
    expect(await app.page.getByRole('button', { name: 'Finish' }).count()).to.equal(1);
  });

  it('shows a scan that is made before it begins, or after it is finished', async () => {
    const app = await HandheldApp.signedIn(await browser.device(), gateway.url, gateway.token);
    await app.choosePlace('SHELF-1');
    await app.goTo('Sweep');
    await app.page.getByRole('button', { name: 'Sweep SHELF-1' }).waitFor();
    await app.scan(tag(1));
    await app.tells('seen');
    await begin(app);
    await app.press('Finish');
    await app.shows('Sweep finished');
    await app.scan(tag(4));
    await app.tells('moved');
    // It was too early: what is scanned from here on counts for the sweep.
    await app.goTo('Sweep');
    await app.press('Go on');
    await app.page.getByRole('button', { name: 'Finish' }).waitFor();
    await app.scan(tag(2));
    await app.page.getByRole('img', { name: '1 of 3 found' }).waitFor();
  });

  itByNight('tells what the gateway recorded at a place whose tag the device did not know', async () => {
    const device = await browser.device();
    const app = await HandheldApp.signedIn(device, gateway.url, gateway.token);
    await app.isInstalled();
    await begin(app);
    await device.context.setOffline(true);
    await app.shows('Offline');
    const bay = await gateway.site.location('NEW-BAY');
    await gateway.site.tag({ locationId: bay }, 'LOC-NEW', 'barcode');
    for (const value of [tag(1), 'LOC-NEW', tag(2), tag(4)]) {
      await app.scan(value);
    }
    await device.context.setOffline(false);
    await app.waits(0);
    await app.shows('Recorded elsewhere');
    await app.press('Finish');
    await app.shows('1 of 3 missing, 3 to check');
    expect(await heaps(app, [...HEAPS, 'To check'])).to.deep.equal({
      Found: ['TOTE-1'],
      'Moved here': [],
      Missing: ['TOTE-3'],
      Unknown: [],
      'To check': ['NEW-BAY', 'TOTE-2', 'TOTE-4'],
    });
    await app.shows('TOTE-2 · recorded at NEW-BAY.');
    // Scanned again, they are here.
    await app.press('Go on');
    await app.page.getByRole('img', { name: 'found' }).waitFor();
    await app.scan(tag(2));
    await app.tells('moved');
    await app.scan(tag(4));
    await app.tells('moved');
    await app.press('Finish');
    await app.shows('1 of 3 missing, 1 to check');
    expect(await heaps(app)).to.deep.include({ Found: ['TOTE-1', 'TOTE-2'], 'Moved here': ['TOTE-4'] });
  });

  itByNight('does not say of what was taken elsewhere since that it is here now', async () => {
    const device = await browser.device();
    const app = await HandheldApp.signedIn(device, gateway.url, gateway.token);
    await app.isInstalled();
    await begin(app);
    await device.context.setOffline(true);
    await app.shows('Offline');
    const now = Date.now();
    await device.setTime(now - 60_000);
    await app.scan(tag(4));
    await device.setTime(now);
    await scanElsewhere(tag(4), 'SHELF-2');
    await device.context.setOffline(false);
    await app.waits(0);
    await app.tells('seen');
    await app.page.getByRole('button', { name: 'To check' }).click();
    await app.shows('TOTE-4 · recorded at SHELF-2. Scan it again if it is here.');
    await app.press('Finish');
    expect(await heaps(app)).to.deep.include({ 'Moved here': [], Unknown: [] });
    expect(await assetsAtShelf()).not.to.include('TOTE-4');
  });

  itByNight('says that it is here of what another device has moved here since', async () => {
    const app = await HandheldApp.signedIn(await browser.device(), gateway.url, gateway.token);
    await begin(app);
    await scanElsewhere(tag(4), 'SHELF-1');
    await app.scan(tag(4));
    await app.tells('seen');
    await app.page.locator('.heap', { hasText: 'Moved here' }).getByText('1').waitFor();
    await app.page.reload();
    await app.shows('Sweep of SHELF-1');
    expect((await heaps(app, ['Moved here']))['Moved here']).to.deep.equal(['TOTE-4']);
  });

  it('leaves open where a tote is that was only seen, when it cannot ask', async () => {
    const device = await browser.device({ serviceWorkers: 'block' });
    const app = await HandheldApp.signedIn(device, gateway.url, gateway.token);
    await begin(app);
    await scanElsewhere(tag(4), 'SHELF-1');
    await device.context.route('**/handheld/v1/tags?*', (route) => route.abort('connectionreset'));
    await app.scan(tag(4));
    await app.page.getByRole('button', { name: 'To check' }).click();
    await app.shows('TOTE-4 · seen, not moved: it was already here, or has left since.');
  });

  /** Another device scans a tag at a shelf, now. */
  async function scanElsewhere(value: string, key: string): Promise<void> {
    const at = new Date().toISOString();
    const scans = [{ tag_type: 'rfid', value, observed_at: at }];
    const submission = { submission_id: ulid(), sent_at: at, location: { external_key: key }, scans };
    expect((await gateway.submit(submission)).status).to.equal(201);
  }

  async function begin(app: HandheldApp, place = 'SHELF-1'): Promise<void> {
    await app.goTo('Scan');
    await app.choosePlace(place);
    await app.goTo('Sweep');
    await app.press(`Sweep ${place}`);
    // What others record from now on is not in the list that it is compared with.
    await app.page.locator('.sweep-head .hint', { hasNotText: UNSETTLED }).waitFor();
  }

  /** The lines of each heap, by its name. */
  async function heaps(app: HandheldApp, names = HEAPS): Promise<Record<string, string[]>> {
    const lines: Record<string, string[]> = {};
    for (const name of names) {
      await app.page.getByRole('button', { name }).click();
      const list = app.page.getByRole('list', { name });
      await list.waitFor();
      const titles = await list.locator('.row-title').allTextContents();
      lines[name] = titles.sort();
    }
    return lines;
  }

  async function assetsAtShelf(): Promise<string[]> {
    const rows = await gateway.database.rows<{ external_key: string }>(
      `select external_key from positions join assets on assets.org_id = positions.org_id and assets.id = asset_id
        where location_id = $1 order by external_key`,
      [shelf],
    );
    return rows.map(({ external_key }) => external_key);
  }
});
