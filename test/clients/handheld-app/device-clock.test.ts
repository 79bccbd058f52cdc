import { expect } from 'chai';
import { DeviceClock, setSince } from '../../../clients/handheld-app/src/queue/device-clock.ts';
import { useBrowser } from '../../support/browser.ts';
import { useGateway } from '../../support/gateway.ts';
import { HandheldApp } from '../../support/handheld-app.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

describe('how far a device’s clock was set after a scan', () => {
  const before = { ahead: 0, error: -3 * HOUR };
  /** The clock was set on by three hours, and the device slept for so long in all. */
  const setOn = (slept = 0) => ({ ahead: 3 * HOUR + slept, error: 0 });
  /** The clock was set back by three hours. */
  const setBack = (slept = 0) => ({ ahead: -3 * HOUR + slept, error: -6 * HOUR });

  it('is told if it was set on, and if it was set back', () => {
    expect(setSince(0, before, setOn())).to.equal(3 * HOUR);
    expect(setSince(0, before, setBack())).to.equal(-3 * HOUR);
  });

  it('is nothing for a scan made after that', () => {
    expect(setSince(3 * HOUR, before, setOn())).to.equal(0);
    expect(setSince(-3 * HOUR, before, setBack())).to.equal(0);
  });

  it('is nothing if the device only slept, however long', () => {
    for (const slept of [MINUTE, 3 * HOUR, 100 * HOUR]) {
      expect(setSince(0, before, { ahead: slept, error: before.error })).to.equal(0);
      expect(setSince(slept, before, { ahead: slept, error: before.error + SECOND })).to.equal(0);
    }
  });

  it('is told of a device that slept, too, if it cannot have been otherwise', () => {
    expect(setSince(0, before, setOn(8 * HOUR))).to.equal(3 * HOUR);
    expect(setSince(HOUR, before, setOn(8 * HOUR))).to.equal(3 * HOUR);
    expect(setSince(0, before, setBack(HOUR))).to.equal(-3 * HOUR);
  });

  it('is left at nothing if sleep before the scan looks like it', () => {
    expect(setSince(4 * HOUR, before, setOn(8 * HOUR))).to.equal(0);
    expect(setSince(0, before, setBack(8 * HOUR))).to.equal(0);
  });

  it('is nothing if only the gateway’s clock was set', () => {
    expect(setSince(0, before, { ahead: 0, error: 0 })).to.equal(0);
    expect(setSince(0, before, { ahead: 0, error: -6 * HOUR })).to.equal(0);
  });
});

describe('a device’s clock', () => {
  it('is doubted only when it differs from the running time, with scans made since the gateway was heard', () => {
    let now = 0;
    const clock = new DeviceClock(
      () => new Date(now),
      () => 0,
    );
    clock.made([{ seq: 1 }]);
    now = HOUR;
    expect(clock.isUnsure, 'never heard of the gateway').to.equal(false);
    clock.heard(new Date(now));
    now = 2 * HOUR;
    expect(clock.isUnsure, 'no scans').to.equal(false);
    clock.heard(new Date(now));
    clock.made([{ seq: 2 }]);
    expect(clock.isUnsure, 'no difference').to.equal(false);
    now = 3 * HOUR;
    expect(clock.isUnsure).to.equal(true);
    clock.heard(new Date(2 * HOUR));
    expect(clock.isUnsure, 'heard').to.equal(false);
    expect([...clock.takeCorrections()]).to.deep.equal([[2, HOUR]]);
    expect([...clock.takeCorrections()]).to.deep.equal([]);
  });
});

describe('the handheld app on a device whose clock jumps before it sends', () => {
  const gateway = useGateway();
  const browser = useBrowser();

  before(async () => {
    await gateway.site.location('DOCK-1');
  });

  it('sends when a scan was made, though the clock was set right after it', async () => {
    await gateway.site.asset('PALLET-1', 'E28011600000020912340001');
    const device = await browser.device();
    await device.setTime(Date.now() - 3 * HOUR);
    const app = await HandheldApp.signedIn(device, gateway.url, gateway.token);
    await app.choosePlace('DOCK-1');
    await device.context.setOffline(true);
    await app.shows('Offline');
    await app.scan('E28011600000020912340001');
    await app.waits(1);
    await device.setTime(Date.now());
    await device.context.setOffline(false);
    await app.waits(0);
    expect(await age('PALLET-1')).to.be.within(0, 120);
  });

  it('does not take for a clock that was set what is a device that slept', async () => {
    await gateway.site.asset('PALLET-2', 'E28011600000020912340002');
    // What the worker lets pass cannot be changed here.
    const device = await browser.device({ serviceWorkers: 'block' });
    let behind = 2 * HOUR;
    await device.context.route('**/handheld/**', async (route) => {
      const response = await route.fetch();
      const date = new Date(Date.now() - behind).toUTCString();
      await route.fulfill({ response, headers: { ...response.headers(), date } });
    });
    await device.setTime(Date.now() - behind);
    const app = await HandheldApp.signedIn(device, gateway.url, gateway.token);
    await app.choosePlace('DOCK-1');
    await device.context.setOffline(true);
    await app.shows('Offline');
    await app.scan('E28011600000020912340002');
    await app.waits(1);
    behind = 0;
    await device.setTime(Date.now());
    await device.context.setOffline(false);
    await app.waits(0);
    expect(await age('PALLET-2')).to.be.within(7_080, 7_320);
  });

  /** Seconds between the scan and its sending, by the database's clock. */
  async function age(asset: string): Promise<number> {
    const [row] = await gateway.database.rows<{ age: string }>(
      `select extract(epoch from submissions.received_at - scan_events.observed_at)::text as age
         from scan_events join submissions on submissions.id = scan_events.submission_id
         join assets on assets.org_id = scan_events.org_id and assets.id = scan_events.asset_id
        where assets.external_key = $1`,
      [asset],
    );
    return Number(row?.age);
  }
});
