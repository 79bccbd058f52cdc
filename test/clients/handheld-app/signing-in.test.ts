import { expect } from 'chai';
import { databaseOn } from '../../../db/timescale/connections/database.ts';
import { createHandheld } from '../../../domain/administration/handhelds/create-handheld.ts';
import { revokeHandheld } from '../../../domain/administration/handhelds/revoke-handheld.ts';
import { signInAddress } from '../../../domain/administration/handhelds/token-format.ts';
import { TEST_ACTOR } from '../../support/actor.ts';
import { LATER_MS, scanByWedge, typeByWedge, useBrowser } from '../../support/browser.ts';
import { useGateway } from '../../support/gateway.ts';
import { HandheldApp } from '../../support/handheld-app.ts';
import { itByNight } from '../../support/random-sets.ts';
import { Site } from '../../support/site.ts';

describe('signing in to the handheld app', () => {
  const gateway = useGateway();
  const browser = useBrowser();

  before(async () => {
    await gateway.site.location('DOCK-1');
    await gateway.site.asset('PALLET-1', 'E28011600000020912340001');
  });

  it('says what is wrong with a token, and keeps none that is wrong', async () => {
    const app = await HandheldApp.open(await browser.device(), gateway.url);
    await app.signIn('tt_01_not-a-handheld');
    await app.shows('Not a handheld token.');
    await app.signIn(`${gateway.token.slice(0, -4)}AAAA`);
    await app.shows('Invalid or expired token');
    await app.page.reload();
    await app.page.getByLabel('Token of this handheld').waitFor();
  });

  it('says that there is no network', async () => {
    const device = await browser.device();
    const app = await HandheldApp.open(device, gateway.url);
    await app.isInstalled();
    await device.context.setOffline(true);
    await app.signIn(gateway.token);
    await app.shows('The gateway cannot be reached.');
  });

  it('takes a token by the trigger', async () => {
    const app = await HandheldApp.open(await browser.device(), gateway.url);
    await app.page.getByLabel('Token of this handheld').waitFor();
    await scanByWedge(app.page, gateway.token);
    await app.shows('All sent');
  });

  it('signs in by the link of a QR code, and leaves the token neither in the address nor in the history', async () => {
    const device = await browser.device();
    const address = signInAddress(gateway.url, gateway.token);
    const requests: string[] = [];
    device.context.on('request', (request) => requests.push(request.url()));
    const app = await HandheldApp.open(device, address);
    await app.shows('All sent');
    expect(app.page.url()).to.equal(`${gateway.url}/#scan`);
    expect(await app.page.evaluate('history.length')).to.equal(2); // the empty page before it
    expect(requests.filter((url) => url.includes(gateway.token) && !url.includes('#'))).to.deep.equal([]);
    // Somebody else's link ends nobody's session.
    const { pool } = gateway.database;
    const { orgId } = gateway.site;
    const other = await createHandheld(databaseOn(pool), TEST_ACTOR, { orgId, name: 'other' });
    await app.page.evaluate(`location.hash = '#sign-in/${other.token}'`);
    await app.shows(`This device is signed in as handheld ${gateway.handheldId}`);
    expect(app.page.url()).to.equal(`${gateway.url}/#scan`);
  });

  itByNight(
    'keeps the token of a QR code until a sign-in is completed, also when the page is loaded again',
    async () => {
      const device = await browser.device();
      const app = await HandheldApp.open(device, gateway.url);
      await app.isInstalled();
      await device.context.setOffline(true);
      await app.page.evaluate(`location.hash = '#sign-in/${gateway.token}'`);
      await app.shows('The gateway cannot be reached.');
      expect(await app.page.getByLabel('Token of this handheld').inputValue()).to.equal(gateway.token);
      expect(app.page.url()).to.equal(`${gateway.url}/#scan`);
      await app.page.reload();
      await app.shows('The gateway cannot be reached.');
      await device.context.setOffline(false);
      await app.press('Sign in');
      await app.shows('All sent');
      expect(await app.page.evaluate('sessionStorage.length')).to.equal(0);
    },
  );

  it('stops and asks to sign in when the token is revoked or expires, and loses nothing', async () => {
    const { pool } = gateway.database;
    const { orgId } = gateway.site;
    const first = await createHandheld(databaseOn(pool), TEST_ACTOR, { orgId, name: 'first' });
    const app = await HandheldApp.signedIn(await browser.device(), gateway.url, first.token);
    await app.choosePlace('DOCK-1');
    await revokeHandheld(databaseOn(pool), TEST_ACTOR, first.id);
    await scanByWedge(app.page, 'E28011600000020912340001');
    await app.shows('Please sign in again');
    await app.shows('1 scan is safe on this device');
    expect(await recorded()).to.equal(0);

    await app.page.reload();
    const second = await createHandheld(databaseOn(pool), TEST_ACTOR, { orgId, name: 'second' });
    await app.signIn(second.token);
    // Another handheld may be another organization's: the user is asked.
    await app.shows('This is another handheld’s token');
    await app.press('Sign in and send them');
    await app.waits(0);
    expect(await recorded()).to.equal(1);

    await gateway.database.rows('update handhelds set expires_at = now() where id = $1', [second.id]);
    await scanByWedge(app.page, 'E28011600000020912340002');
    await app.shows('Handheld token has expired');
    await app.shows('1 scan is safe on this device');
  });

  it('goes on taking scans while the token is refused, and sends them once somebody signs in', async () => {
    const { pool } = gateway.database;
    const { orgId } = gateway.site;
    const first = await createHandheld(databaseOn(pool), TEST_ACTOR, {
      orgId,
      name: 'refused in the middle of work',
    });
    const device = await browser.device();
    await HandheldApp.feel(device);
    const app = await HandheldApp.signedIn(device, gateway.url, first.token);
    await app.choosePlace('DOCK-1');
    await revokeHandheld(databaseOn(pool), TEST_ACTOR, first.id);
    await app.scan('WHILE-SIGNED-IN');
    await app.shows('Please sign in again');
    const before = await app.felt();
    await app.scan('WHILE-REFUSED');
    await app.tells('queued');
    await app.shows('2 scans are safe on this device');
    // It feels as the one before did, when all was well.
    expect(await app.felt()).to.deep.equal([...before, before.at(-1)]);
    await app.page.reload();
    await app.shows('2 scans are safe on this device');
    await typeByWedge(app.page, 'AFTER-A-RELOAD', { delay: LATER_MS });
    await app.page.locator('[data-latest="AFTER-A-RELOAD"]').waitFor();
    await app.shows('3 scans are safe on this device');

    const second = await createHandheld(databaseOn(pool), TEST_ACTOR, { orgId, name: 'to go on with' });
    await typeByWedge(app.page, second.token, { delay: 2 * LATER_MS });
    await app.press('Sign in and send them');
    await app.waits(0);
    const sent = await gateway.database.rows<{ value: string }>(
      `select value from unknown_tags where value in ('WHILE-SIGNED-IN', 'WHILE-REFUSED', 'AFTER-A-RELOAD')
        order by first_seen`,
    );
    expect(sent.map(({ value }) => value)).to.deep.equal([
      'WHILE-SIGNED-IN',
      'WHILE-REFUSED',
      'AFTER-A-RELOAD',
    ]);
  });

  it('says so when something is scanned after signing out, and takes it for nobody', async () => {
    const device = await browser.device();
    await HandheldApp.feel(device);
    const app = await HandheldApp.signedIn(device, gateway.url, gateway.token);
    await app.goTo('Settings');
    await app.press('Sign out');
    await app.press('Yes, sign out');
    await app.page.getByLabel('Token of this handheld').waitFor();
    expect(await app.felt()).to.deep.equal([]);
    await scanByWedge(app.page, 'AFTER-SIGNING-OUT');
    await app.shows('Sign in first: until then nothing else is accepted.');
    expect(await app.felt()).to.have.length(1);
    await app.signIn(gateway.token);
    await app.shows('All sent');
    await app.goTo('History');
    await app.shows('Your scans are listed here');
  });

  itByNight('goes on with the place and the sweep under a new token of the same organization', async () => {
    const app = await sweepingUntilRevoked();
    const { token } = await createHandheld(databaseOn(gateway.database.pool), TEST_ACTOR, {
      orgId: gateway.site.orgId,
      name: 'renewed',
    });
    await app.signIn(token);
    await app.press('Sign in and send them');
    await app.waits(0);
    await app.shows('Sweeping');
    await app.goTo('Sweep');
    await app.page.getByRole('button', { name: 'Unknown' }).click();
    await app.shows('BEFORE-REVOKED');
    await app.shows('AFTER-REVOKED');
    await app.press('Finish');
    await app.press('Done');
    await app.shows('You are at');
    expect(await app.page.locator('.place-bar-name').textContent()).to.equal('DOCK-1');
  });

  itByNight('says that the sweep is over when the new token is another organization’s', async () => {
    const app = await sweepingUntilRevoked();
    const other = await Site.create(gateway.database, 'Other');
    await other.location('DOCK-1');
    const { token } = await createHandheld(databaseOn(gateway.database.pool), TEST_ACTOR, {
      orgId: other.orgId,
      name: 'other',
    });
    await app.signIn(token);
    await app.press('Sign in and send them');
    await app.shows('The sweep of DOCK-1 is over');
    await app.shows('No place yet');
    await app.shows('1 refused');
  });

  itByNight('keeps what is queued over signing out and in', async () => {
    const device = await browser.device();
    const app = await HandheldApp.signedIn(device, gateway.url, gateway.token);
    await app.isInstalled();
    await device.context.setOffline(true);
    await app.scan('KEPT-OVER-SIGN-OUT');
    await app.goTo('Settings');
    await app.shows('1 scan not yet sent.');
    await app.press('Sign out');
    await app.press('Yes, sign out');
    await app.shows('1 scan is safe on this device');
    await device.context.setOffline(false);
    await app.signIn(gateway.token);
    await app.waits(0);
    const unknown = await gateway.database.rows('select from unknown_tags where value = $1', [
      'KEPT-OVER-SIGN-OUT',
    ]);
    expect(unknown).to.have.length(1);
  });

  /** A sweep with a scan that was sent, and one that the token was no longer good for. */
  async function sweepingUntilRevoked() {
    const { pool } = gateway.database;
    const { id, token } = await createHandheld(databaseOn(pool), TEST_ACTOR, {
      orgId: gateway.site.orgId,
      name: 'old',
    });
    const app = await HandheldApp.signedIn(await browser.device(), gateway.url, token);
    await app.choosePlace('DOCK-1');
    await app.goTo('Sweep');
    await app.press('Sweep DOCK-1');
    await app.shows('Scan all you find');
    await app.scan('BEFORE-REVOKED');
    await app.waits(0);
    await revokeHandheld(databaseOn(pool), TEST_ACTOR, id);
    await scanByWedge(app.page, 'AFTER-REVOKED');
    await app.shows('Please sign in again');
    return app;
  }

  async function recorded(): Promise<number> {
    return (await gateway.database.rows('select from scan_events')).length;
  }
});
