import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { expect } from 'chai';
import type mqtt from 'mqtt';
import { databaseOn } from '../../../db/timescale/connections/database.ts';
import { createHandheld } from '../../../domain/administration/handhelds/create-handheld.ts';
import { revokeHandheld } from '../../../domain/administration/handhelds/revoke-handheld.ts';
import { wantReads } from '../../../domain/listening/wanted.ts';
import { MOST_OF_ORGANIZATION } from '../../../services/mqtt-ingest/listening/listening.ts';
import { TEST_ACTOR } from '../../support/actor.ts';
import { useBrowser } from '../../support/browser.ts';
import { useGateway } from '../../support/gateway.ts';
import { HandheldApp } from '../../support/handheld-app.ts';
import { useIngest } from '../../support/ingest.ts';
import { readEvents } from '../../support/read-events.ts';
import { ScreenStates } from '../../support/screen-states.ts';
import { Site } from '../../support/site.ts';

const EPC = '3034257BF400B7800004CB2F';
const SAME = 'urn:epc:id:sgtin:0614141.000734.314159';
const OTHER = 'E28011600000020912340002';

describe('finding an asset by signal', () => {
  const gateway = useGateway();
  const { database } = gateway;
  const ingest = useIngest(database);
  const browser = useBrowser();
  const states = new ScreenStates();
  let assetId: number;
  let gate: mqtt.MqttClient;
  let dock: mqtt.MqttClient;
  let sending: NodeJS.Timeout;
  /** What the readers publish, again and again, as readers do. */
  let heard: { gate: object[]; dock: object[] };

  before(async () => {
    const { site } = gateway;
    assetId = await site.asset('LIFT-7', EPC);
    await site.asset('OTHER', OTHER);
    const places = [await site.location('GATE'), await site.location('DOCK')];
    await database.rows(`update locations set name = initcap(external_key) where org_id = $1`, [site.orgId]);
    await site.reader('gate', [places[0] ?? 0]);
    await site.reader('dock', [places[1] ?? 0]);
    gate = await ingest.connect('gate');
    dock = await ingest.connect('dock');
    sending = setInterval(() => {
      for (const [topic, client] of [
        ['gate', gate],
        ['dock', dock],
      ] as const) {
        if (heard[topic].length > 0) {
          client.publish(topic, JSON.stringify({ reads: heard[topic] }));
        }
      }
    }, 200);
  });
  beforeEach(() => {
    heard = { gate: [], dock: [] };
  });
  after(() => clearInterval(sending));

  const read = (value: string, rssi: number) => ({ tag_type: 'rfid', value, antenna: 1, rssi });
  const listen = (token = gateway.token, id = assetId) =>
    fetch(`${gateway.url}/handheld/v1/assets/${id}/listen`, {
      headers: { Authorization: `Bearer ${token}` },
      signal: leave.signal,
    });
  let leave = new AbortController();
  afterEach(() => {
    leave.abort();
    leave = new AbortController();
  });

  it('hears it at all readers of the organization, in any notation, and nothing else', async () => {
    heard = { gate: [read(SAME, -70), read(OTHER, -30)], dock: [read(EPC.toLowerCase(), -50)] };
    const next = readEvents(await listen());
    for (;;) {
      const event = await next();
      const reads: { location: { name: string }; rssi: number }[] = event?.data.reads ?? [];
      expect(reads.map(({ rssi }) => rssi)).not.to.include(-30);
      if (reads.length === 2) {
        expect(reads.map(({ location, rssi }) => [location.name, rssi])).to.have.deep.members([
          ['Gate', -70],
          ['Dock', -50],
        ]);
        break;
      }
    }
  });

  it('is for handhelds of the organization, two at once each', async () => {
    expect((await listen('th_1_wrong')).status).to.equal(401);
    const foreign = await (await Site.create(database)).asset('FOREIGN', 'E28011600000020912349999');
    expect((await listen(gateway.token, foreign)).status).to.equal(404);
    const { token } = await createHandheld(databaseOn(database.pool), TEST_ACTOR, {
      orgId: gateway.site.orgId,
      name: 'other gun',
    });
    expect([(await listen(token)).status, (await listen(token)).status]).to.deep.equal([200, 200]);
    const third = await listen(token);
    expect(third.status).to.equal(503);
    expect(third.headers.get('Retry-After')).to.equal('30');
  });

  it('ends once the handheld is revoked', async () => {
    const db = databaseOn(database.pool);
    const { id, token } = await createHandheld(db, TEST_ACTOR, {
      orgId: gateway.site.orgId,
      name: 'lost gun',
    });
    const next = readEvents(await listen(token));
    expect((await next())?.event).to.equal('heard');
    await revokeHandheld(db, TEST_ACTOR, id);
    let event = await next();
    while (event !== null) {
      event = await next();
    }
  });

  it('is not said to be silent while no ingestion listens for it, such as for one too many', async () => {
    const site = await Site.create(database);
    const id = await site.asset('ONE-TOO-MANY', 'E28011600000020912348888');
    const db = databaseOn(database.pool);
    for (let readerId = 1; readerId <= MOST_OF_ORGANIZATION; readerId++) {
      await wantReads(db, { orgId: site.orgId, readerId, antenna: 1 });
    }
    const { token } = await createHandheld(db, TEST_ACTOR, { orgId: site.orgId, name: 'gun' });
    const next = readEvents(await listen(token, id));
    expect((await next())?.data).to.deep.equal({ reads: null });
    expect((await next())?.data).to.deep.equal({ reads: null });
  });

  it('grows a bar and quickens a tone, until it is stopped or the page is hidden', async () => {
    const device = await browser.device({ viewport: { width: 390, height: 844 } });
    await HandheldApp.feel(device);
    const app = await HandheldApp.signedIn(device, gateway.url, gateway.token);
    const { page } = app;
    await app.goTo('Find');
    await page.getByLabel('Name, key or tag').fill('LIFT-7');
    await page.locator('[data-asset="LIFT-7"]').click();
    await app.press('Find by signal');
    await page.getByText('No reader hears it now.').waitFor();
    const bar = page.getByRole('meter', { name: 'Signal at fixed readers' });
    const level = async () => Number(await bar.evaluate((meter) => meter.getAttribute('value')));
    expect(await level()).to.equal(0);
    const silent = (await app.felt()).length;

    heard = { gate: [read(EPC, -75)], dock: [] };
    await page.getByText('Loudest at Gate').waitFor();
    expect(await level()).to.equal(20);
    await states.look(page, 'signal', '.asset');
    await page.setViewportSize({ width: 390, height: 844 });
    heard.dock = [read(SAME, -40)];
    await page.getByText('Loudest at Dock').waitFor();
    expect(await level()).to.equal(90);
    await app.feels(silent + 3);

    await page.evaluate(`Object.defineProperty(document, 'hidden', { value: true, configurable: true });
      document.dispatchEvent(new Event('visibilitychange'))`);
    await bar.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Find by signal', pressed: false }).waitFor();
  });

  it('says why nobody may listen, and asks again when the gateway said, or not where that changes nothing', async () => {
    const db = databaseOn(database.pool);
    const id = await gateway.site.asset('CROWDED', 'E28011600000020912347777');
    const { token } = await createHandheld(db, TEST_ACTOR, { orgId: gateway.site.orgId, name: 'third ear' });
    const device = await browser.device({ serviceWorkers: 'block' });
    const app = await HandheldApp.signedIn(device, gateway.url, token);
    const { page } = app;
    await app.goTo('Find');
    await page.getByLabel('Name, key or tag').fill('CROWDED');
    await page.locator('[data-asset="CROWDED"]').click();
    let asked = 0;
    page.on('request', (request) => {
      asked += request.url().endsWith('/listen') ? 1 : 0;
    });
    await page.clock.install();
    await Promise.all([listen(token), listen(token)]);
    await app.press('Find by signal');
    await page.getByText('Too many').waitFor();
    leave.abort();
    leave = new AbortController();
    while ((await listen(token)).status === 503) {}
    await page.clock.fastForward(10_000);
    await page.getByText('Too many').waitFor();
    expect(asked).to.equal(1);
    await page.clock.fastForward(22_000);
    await page.getByText('No reader hears it now.').waitFor();

    await app.press('Stop');
    await database.rows('update assets set deleted_at = now() where id = $1', [id]);
    await app.press('Find by signal');
    await page.getByText('Asset not found').waitFor();
    await page.clock.fastForward(600_000);
    await page.getByText('Asset not found').waitFor();
    expect(asked).to.equal(3);
  });

  it('listens anew where the network has gone without a word', async () => {
    const { url, strand, close } = await openStrandingProxy(gateway.url);
    const app = await HandheldApp.signedIn(await browser.device(), url, gateway.token);
    await app.goTo('Find');
    await app.page.getByLabel('Name, key or tag').fill('LIFT-7');
    await app.page.locator('[data-asset="LIFT-7"]').click();
    heard.gate = [read(EPC, -50)];
    await app.press('Find by signal');
    await app.page.getByText('Loudest at Gate').waitFor();
    strand();
    heard = { gate: [], dock: [read(EPC, -50)] };
    await app.page.getByText('Loudest at Dock').waitFor();
    close();
  });
});

/** A way to the gateway on which what has come so far of live signals can be all that comes. */
async function openStrandingProxy(target: string) {
  const listening: (() => void)[] = [];
  const server = createServer((client) => {
    const gateway = connect(Number(new URL(target).port), new URL(target).hostname);
    client.on('data', (bytes) => {
      if (bytes.includes('/listen HTTP')) {
        listening.push(() => gateway.unpipe(client).resume());
      }
    });
    client.pipe(gateway).pipe(client);
    for (const [one, other] of [
      [client, gateway],
      [gateway, client],
    ] as const) {
      one.on('error', () => {}).on('close', () => other.destroy());
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    strand: () => {
      for (const stop of listening) {
        stop();
      }
    },
    close: () => server.close(),
  };
}
