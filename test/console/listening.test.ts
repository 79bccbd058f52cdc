import { expect } from 'chai';
import type mqtt from 'mqtt';
import { useConsole } from '../support/console.ts';
import { connected, connectReader, useIngest } from '../support/ingest.ts';
import { storeSettings } from '../support/location-settings.ts';
import { readEvents } from '../support/read-events.ts';
import { Site } from '../support/site.ts';

describe('listening to an antenna in the console', () => {
  const suite = useConsole();
  const { database } = suite;
  const one = useIngest(database);
  const other = useIngest(database);
  const leaving: AbortController[] = [];
  let site: Site;
  let token: string;
  let readerId: number;
  let assetId: number;
  let publishers: mqtt.MqttClient[];

  const listen = async (path = `/readers/${readerId}/listen?antenna=1`, as = token) => {
    const leave = new AbortController();
    leaving.push(leave);
    const answer = await fetch(`${suite.url}/console/v1${path}`, {
      headers: { Cookie: `tagtrail_session=${as}` },
      signal: leave.signal,
    });
    const next = readEvents(answer);
    /** The first event of which it is true; the stream sends one at least every two seconds. */
    const first = async <Data>(name: string, isIt: (data: Data) => boolean): Promise<Data> => {
      for (;;) {
        const event = await next();
        if (event === null) {
          throw new Error('the stream has ended');
        }
        if (event.event === name && isIt(event.data)) {
          return event.data;
        }
      }
    };
    return {
      status: answer.status,
      until: (isIt: (data: Heard) => boolean) => first('heard', isIt),
    };
  };
  const publish = (which: number, reads: object | string) =>
    publishers[which]?.publishAsync('gate', typeof reads === 'string' ? reads : JSON.stringify(reads), {
      qos: 1,
    });

  before(async () => {
    site = await Site.create(database);
    token = await suite.as('operator', site.orgId);
    // Neither at a place, and one switched off.
    readerId = await site.reader('gate', [null, null]);
    await database.rows('update antennas set is_enabled = false where reader_id = $1 and port = 2', [
      readerId,
    ]);
    assetId = await site.asset('LIFT-1', 'E2801160');
    publishers = [one, other].map(({ port }, index) =>
      connectReader(port, 'gate', { clientId: `gate${index}` }),
    );
    await Promise.all(publishers.map(connected));
  });
  afterEach(() => {
    for (const each of leaving.splice(0)) {
      each.abort();
    }
  });
  after(() => Promise.all(publishers.map((client) => client.endAsync(true))));

  it('adds up what every process hears, wherever the antenna is and whosever the tags are', async () => {
    const { until } = await listen();
    await until(({ sources }) => sources === 2);
    await publish(0, [
      { value: 'e2801160', antenna: 1, rssi: -61.5 },
      { value: 'e2801160', antenna: 1, rssi: -48 },
      { value: 'BEEF', antenna: 2, rssi: -40 },
    ]);
    await publish(1, [
      { value: 'e2801160', antenna: 1, rssi: -70 },
      { value: 'CAFE', antenna: 1 },
    ]);
    const heard = await until(({ reads }) => reads === 4);
    expect(heard.messages).to.equal(2);
    const [known, unknown] = heard.tags;
    expect(known).to.deep.include({ tag_type: 'rfid', value: 'e2801160', antenna: 1, count: 3, rssi: -70 });
    expect(known?.strongest_rssi).to.equal(-48);
    expect(known?.asset).to.deep.equal({ id: assetId, external_key: 'LIFT-1', name: 'LIFT-1' });
    expect(unknown).to.deep.include({ value: 'CAFE', count: 1, rssi: null, asset: null, location: null });
  });

  it('hears an antenna that is switched off, and all antennas at once', async () => {
    const off = await listen(`/readers/${readerId}/listen?antenna=2&organization=${site.orgId}`);
    const all = await listen(`/readers/${readerId}/listen`);
    await Promise.all([off, all].map(({ until }) => until(({ sources }) => sources === 2)));
    await publish(0, [
      { value: 'E1', antenna: 1 },
      { value: 'E2', antenna: 2 },
    ]);
    expect((await off.until(({ tags }) => tags.length > 0)).tags.map(({ value }) => value)).to.deep.equal([
      'E2',
    ]);
    expect((await all.until(({ tags }) => tags.length > 1)).reads).to.equal(2);
  });

  it('shows what comes of a reader of which nothing can be read, and why', async () => {
    const { until } = await listen(`/readers/${readerId}/listen`);
    await until(({ sources }) => sources === 2);
    await publish(1, 'not what it should be');
    const heard = await until(({ rejected }) => rejected > 0);
    expect(heard.arrivals[0]).to.deep.include({ topic: 'gate', size: 21, outcome: 'rejected' });
    expect(heard.arrivals[0]?.reason).to.include('JSON');
  });

  it('shows the levels of an asset as they decide, by the figures that `why` gives', async () => {
    const yard = await site.location('YARD');
    const dock = await site.location('DOCK');
    await site.reader('gates', [yard, dock]);
    const crateId = await site.asset('CRATE-1', 'E2801161');
    await storeSettings(database, site.orgId, [
      { locationId: null, validFrom: 0, setting: { procedure: 'strength', certainty: 1 } },
    ]);
    const reader = connectReader(one.port, 'gates', { clientId: 'gates' });
    await connected(reader);
    const read = async (what: string) =>
      (await suite.call({ path: `/assets/${crateId}/${what}`, token })).body.data;
    const levels = async (isIt: (data: Levels) => boolean): Promise<Levels> => {
      for (;;) {
        const data: Levels = await read('levels');
        if (isIt(data)) {
          return data;
        }
      }
    };
    expect(await read('levels')).to.deep.equal({ location: null, latest: null });
    const send = (...rssi: number[]) =>
      reader.publishAsync(
        'gates',
        JSON.stringify(rssi.map((each, index) => ({ value: 'E2801161', antenna: index + 1, rssi: each }))),
        { qos: 1 },
      );
    await send(-50, -51);
    const undecided = await levels(({ latest }) => latest !== null);
    expect(undecided).to.deep.include({ location: null });
    const { antennas } = undecided.latest?.decision ?? {};
    expect(antennas?.map(({ level }) => level)).to.deep.equal([-50, -51]);
    expect(antennas?.map(({ lacking }) => Math.round(10 * (lacking ?? 0)))).to.deep.equal([32, 52]);
    expect(undecided.latest).to.containSubset((await read('why')).latest);
    await send(-40, -51);
    const { latest } = await levels(({ location }) => location !== null);
    const why = await read('why');
    // The last read may be the one that decided.
    expect(latest?.decision).to.containSubset((why.latest ?? why).decision);
    expect(latest?.decision?.antennas[0]).to.deep.include({ level: -40, lacking: 0 });
    await reader.endAsync(true);
    const path = `/assets/${crateId}/levels`;
    expect((await suite.call({ path, token: await suite.as('viewer', site.orgId) })).status).to.equal(403);
  });

  it('is for operators, of their own readers, so many at a time', async () => {
    expect((await listen(undefined, await suite.as('viewer', site.orgId))).status).to.equal(403);
    expect((await listen(undefined, await suite.as('operator'))).status).to.equal(404);
    const others = await Site.create(database, 'Others');
    const theirs = await others.reader('theirs', [null]);
    const admin = await suite.as('admin', others.orgId);
    const paths = Array.from(
      { length: 20 },
      (_, antenna) => `/readers/${theirs}/listen?antenna=${antenna + 1}`,
    );
    for (const { until } of await Promise.all(paths.map((path) => listen(path, admin)))) {
      await until(({ sources }) => sources === 2);
    }
    const refused = await suite.call({ path: `/readers/${theirs}/listen`, token: admin });
    expect([refused.status, refused.body.error.type]).to.deep.equal([503, 'unavailable']);
    expect(refused.body.error.detail).to.include('20 people');
  });
});

interface Levels {
  location: object | null;
  latest: { decision: { antennas: { level: number; lacking: number | null }[] } | null } | null;
}

interface Heard {
  sources: number;
  messages: number;
  reads: number;
  rejected: number;
  tags: {
    value: string;
    count: number;
    rssi: number | null;
    strongest_rssi: number | null;
    asset: object | null;
  }[];
  arrivals: { topic: string; size: number; outcome: string; reason: string | null }[];
}
