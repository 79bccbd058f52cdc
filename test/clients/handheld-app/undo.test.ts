import { expect } from 'chai';
import { databaseOn } from '../../../db/timescale/connections/database.ts';
import { createHandheld } from '../../../domain/administration/handhelds/create-handheld.ts';
import { TEST_ACTOR } from '../../support/actor.ts';
import { type Device, LATER_MS, scanByWedge, typeByWedge, useBrowser } from '../../support/browser.ts';
import { useGateway } from '../../support/gateway.ts';
import { HandheldApp } from '../../support/handheld-app.ts';
import { aScan, aSubmission } from '../../support/new-submission.ts';
import { itByNight } from '../../support/random-sets.ts';

describe('taking a scan back with the handheld app', () => {
  const gateway = useGateway();
  const browser = useBrowser();
  let device: Device;
  let app: HandheldApp;
  let dock: number;
  let count = 0;
  /** Of an asset that was at DOCK-1 an hour ago. */
  let epc: string;

  before(async () => {
    dock = await gateway.site.location('DOCK-1');
    await gateway.site.location('DOCK-2');
  });

  beforeEach(async () => {
    count += 1;
    epc = `E2801160000002091234000${count}`;
    await gateway.site.asset(`PALLET-${count}`, epc);
    await gateway.submit(aSubmission([aScan(epc, 3600)], { location: { id: dock } }));
    device = await browser.device();
    app = await HandheldApp.signedIn(device, gateway.url, gateway.token);
    await app.choosePlace('DOCK-2');
  });

  const row = () => app.page.locator(`[data-scan="${epc}"]`);

  it('brings the asset back to where it was, and the feed tells it', async () => {
    await app.scan(epc);
    await app.tells('moved');
    expect(await places()).to.deep.equal(['DOCK-1', 'DOCK-2']);
    await app.press('Undo');
    await app.tells('undone');
    await app.shows('It counts as if it had never been scanned.');
    await app.shows('All sent');
    expect(await places()).to.deep.equal(['DOCK-1']);
    expect(await told()).to.deep.equal(['DOCK-1', 'DOCK-2', 'DOCK-1']);
    await app.goTo('History');
    await row().getByText('Taken back · DOCK-2').waitFor();
    expect(await row().getByRole('button').count()).to.equal(0);
    // What it was scanned for was a mistake; scanned again it counts.
    await app.goTo('Scan');
    await typeByWedge(app.page, epc, { delay: LATER_MS });
    await app.tells('moved');
    expect(await places()).to.deep.equal(['DOCK-1', 'DOCK-2']);
  });

  itByNight('takes its repeats back with it, which are one row of the history', async () => {
    await app.scan(epc);
    await app.tells('moved');
    for (const times of [1, 2]) {
      await typeByWedge(app.page, epc, { delay: times * LATER_MS });
      await app.waits(0);
      await app.tells('seen');
    }
    await app.goTo('History');
    await row().getByText('Moved here × 3 · DOCK-2').waitFor();
    await row()
      .getByRole('button', { name: `Undo PALLET-${count}` })
      .click();
    await row().getByText('Taken back × 3 · DOCK-2').waitFor();
    await app.waits(0);
    expect(await places()).to.deep.equal(['DOCK-1']);
  });

  it('never sends one that is taken back without a network', async () => {
    await device.context.setOffline(true);
    await app.shows('Offline');
    await app.scan(epc);
    await app.waits(1);
    await app.press('Undo');
    await app.shows('It was not sent and will not be.');
    await app.waits(0);
    await device.context.setOffline(false);
    await app.shows('All sent');
    await app.page.reload();
    await app.tells('undone');
    expect(await places()).to.deep.equal(['DOCK-1']);
    expect(await scansOf()).to.equal(1);
  });

  itByNight(
    'sends one that is on its way, and takes it back, however often the app is closed meanwhile',
    async () => {
      // Nobody knows whether the gateway has it.
      await app.page.route('**/submissions', (route) => route.abort());
      await scanByWedge(app.page, epc);
      await app.shows('No answer · 1 waiting');
      await app.press('Undo');
      await app.shows('Saved here; the gateway will be told.');
      await app.waits(2);
      await app.goTo('History');
      await app.shows('1 scan and 1 correction not sent yet');
      await app.page.unroute('**/submissions');
      await app.page.reload();
      await app.waits(0);
      await row().getByText('Taken back · DOCK-2').waitFor();
      expect(await scansOf()).to.equal(2);
      expect(await places()).to.deep.equal(['DOCK-1']);
    },
  );

  it('says so when the gateway refuses, as of a scan that another handheld has sent, and stays signed in', async () => {
    await app.scan(epc);
    await app.tells('moved');
    const { token } = await createHandheld(databaseOn(gateway.database.pool), TEST_ACTOR, {
      orgId: gateway.site.orgId,
      name: 'another',
    });
    await app.goTo('Settings');
    await app.press('Sign out');
    await app.press('Yes, sign out');
    await app.signIn(token);
    await app.goTo('Scan');
    await app.press('Undo');
    await app.shows('Not taken back');
    await app.shows("is another handheld's");
    await app.waits(0);
    expect(await places()).to.deep.equal(['DOCK-1', 'DOCK-2']);
  });

  /** The asset's history. */
  async function places(): Promise<string[]> {
    return keys(
      `select location.external_key from location_transitions stay
        join locations location on location.id = stay.location_id
        join assets asset on asset.id = stay.asset_id
        where asset.external_key = $1 order by stay.observed_at`,
    );
  }

  /** Where the feed said that the asset is, by and by. */
  async function told(): Promise<string[]> {
    return keys(
      `select location.external_key
        from (
          select asset_id, location_id, position, null as id from moves
          union all select asset_id, location_id, null, id from unsealed_moves
        ) move
        join locations location on location.id = move.location_id
        join assets asset on asset.id = move.asset_id
        where asset.external_key = $1 order by move.position nulls last, move.id`,
    );
  }

  async function keys(sql: string): Promise<string[]> {
    const rows = await gateway.database.rows<{ external_key: string }>(sql, [`PALLET-${count}`]);
    return rows.map(({ external_key }) => external_key);
  }

  async function scansOf(): Promise<number> {
    const rows = await gateway.database.rows(
      'select from scan_events join assets on assets.id = asset_id where assets.external_key = $1',
      [`PALLET-${count}`],
    );
    return rows.length;
  }
});
