import { expect } from 'chai';
import { createClock } from '../../base/clock.ts';
import { MICROS_PER_DAY, type Micros } from '../../base/instant.ts';
import { DatabaseClock } from '../../domain/tracking/database-clock.ts';
import { useGateway } from '../support/gateway.ts';
import { aSubmission } from '../support/new-submission.ts';
import { aRead, record, storedHistory } from '../support/recording.ts';

describe('when the scans of a submission were made', () => {
  const gateway = useGateway();
  const { database } = gateway;
  const now = Date.UTC(2026, 4, 4, 12) * 1_000;
  let clock = now;
  let url: string;
  const place = { a: 0, b: 0 };
  before(async () => {
    url = await gateway.start({}, { clock: () => clock, databaseClock: new DatabaseClock(createClock()) });
    place.a = await gateway.site.location('A');
    place.b = await gateway.site.location('B');
    await gateway.site.tag({ locationId: place.a }, 'A', 'barcode');
    await gateway.site.tag({ locationId: place.b }, 'B', 'barcode');
  });
  beforeEach(() => {
    clock = now;
  });

  let assets = 0;
  async function newAsset() {
    const value = `E2${String(++assets).padStart(6, '0')}`;
    return { id: await gateway.site.asset(`ASSET-${assets}`, value), value };
  }
  const HOUR = 3600;
  const iso = (micros: Micros) => new Date(micros / 1000).toISOString();
  const back = (seconds: number) => now - seconds * 1_000_000;
  const scan = (value: string, secondsAgo: number, wrongBy = 0, tagType = 'rfid') => ({
    tag_type: tagType,
    value,
    observed_at: iso(back(secondsAgo - wrongBy)),
  });
  const submit = (scans: object[], wrongBy = 0, location: object | null = { id: place.a }) =>
    gateway.submit(aSubmission(scans, { location, sent_at: iso(back(-wrongBy)) }), { url });
  const stored = (assetId: number) =>
    database.rows<{ at: Micros; flagged: boolean }>(
      `select micros_of_time(observed_at) as at, time_is_received as flagged from scan_events
       where asset_id = $1 order by observed_at`,
      [assetId],
    );

  for (const [name, wrongBy] of [
    ['three hours fast', 3 * HOUR],
    ['three hours slow', -3 * HOUR],
    ['never set', -(Date.UTC(2026, 4, 4, 12) / 1000 - 5 * HOUR)],
    ['years ahead', 20 * 365 * 24 * HOUR],
  ] as const) {
    it(`is right although the device's clock is ${name}`, async () => {
      const { id, value } = await newAsset();
      const { status, body } = await submit(
        [scan(value, 2 * HOUR, wrongBy), scan(value, 10, wrongBy)],
        wrongBy,
      );
      expect(status).to.equal(201);
      expect(body?.data.received_at).to.equal(iso(now));
      expect(body?.data.results[0].observed_at).to.equal(iso(back(2 * HOUR)));
      expect(await stored(id)).to.deep.equal([
        { at: back(2 * HOUR), flagged: false },
        { at: back(10), flagged: false },
      ]);
    });
  }

  it('counts finer than milliseconds', async () => {
    const { id, value } = await newAsset();
    const json = aSubmission([{ tag_type: 'rfid', value, observed_at: '2026-05-04T11:00:00.000001Z' }], {
      location: { id: place.a },
      sent_at: '2026-05-04T11:59:59.999999Z',
    });
    await gateway.submit(json, { url });
    expect(await stored(id)).to.deep.equal([{ at: back(HOUR) + 2, flagged: false }]);
  });

  it('is the reception, and flagged, for what would lie ahead or before anybody had a clock', async () => {
    const { id, value } = await newAsset();
    const { body } = await submit([scan(value, -3600), scan(value, 13 * 365 * 24 * HOUR), scan(value, -60)]);
    expect(body?.data.results.map((result: { observed_at: string }) => result.observed_at)).to.deep.equal([
      iso(now),
      iso(now),
      iso(back(-60)),
    ]);
    expect(await stored(id)).to.deep.equal([
      { at: now, flagged: true },
      { at: now, flagged: true },
      { at: back(-60), flagged: false },
    ]);
  });

  it('is the reception for a clock that stands at the very beginning of its time', async () => {
    const { id, value } = await newAsset();
    for (const observedAt of ['1970-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z']) {
      clock += 1_000_000;
      const unset = { ...scan(value, 0), observed_at: observedAt };
      const { status, body } = await submit([unset]);
      expect(status, JSON.stringify(body)).to.equal(201);
      expect(body?.data.results[0].observed_at).to.equal(iso(clock));
    }
    expect(await stored(id)).to.deep.equal([
      { at: now + 1_000_000, flagged: true },
      { at: now + 2_000_000, flagged: true },
    ]);
  });

  it('is too late beyond the lateness bound, which keeps no other scan from being recorded', async () => {
    const { id, value } = await newAsset();
    const day = 24 * HOUR;
    const { status, body } = await submit([
      scan(value, 31 * day),
      scan(value, 29 * day),
      scan('E2FFFF', 31 * day),
    ]);
    expect(status).to.equal(201);
    expect(body?.data.counts).to.include({ too_late: 2, moved: 1, unknown: 0 });
    expect(body?.data.results[0]).to.deep.include({
      status: 'too_late',
      observed_at: iso(back(31 * day)),
      from: null,
    });
    expect(body?.data.results[0].asset).to.include({ id });
    expect(await stored(id)).to.deep.equal([{ at: now - 29 * MICROS_PER_DAY, flagged: false }]);
    expect(await database.rows('select from unknown_tags')).to.deep.equal([]);
  });

  it('lets a repeat sent later, with a new sending time, be the submission that it was', async () => {
    const { id, value } = await newAsset();
    const json = aSubmission([scan(value, 10)], { location: { id: place.a }, sent_at: iso(now) });
    const first = await gateway.submit(json, { url });
    clock = now + 60_000_000;
    const again = await gateway.submit({ ...json, sent_at: iso(clock) }, { url });
    expect(again.text).to.equal(first.text);
    expect(await stored(id)).to.deep.equal([{ at: back(10), flagged: false }]);
  });

  it("works yesterday's scans, made without a network, in among the reads of fixed readers today", async () => {
    const { id, value } = await newAsset();
    const readerId = await gateway.site.reader('portal', [place.a, place.b]);
    const read = (locationId: number, secondsAgo: number) => ({
      ...aRead({ orgId: gateway.site.orgId, readerId, value, locationId, at: back(secondsAgo) }),
      receivedAt: back(secondsAgo),
    });
    const day = 24 * HOUR;
    // A reader saw it the day before yesterday and this morning; a person walked past it yesterday, in between.
    await record(database, [read(place.a, 2 * day)], now);
    await record(database, [read(place.a, 3 * HOUR), read(place.b, HOUR)], now);
    const offline = [
      scan('B', day + 120, 3 * HOUR, 'barcode'),
      scan(value, day + 60, 3 * HOUR),
      scan('A', day - 3600, 3 * HOUR, 'barcode'),
      scan(value, day - 3660, 3 * HOUR),
    ];
    const { body } = await submit(offline, 3 * HOUR, null);
    expect(body?.data.results.map(({ status }: { status: string }) => status)).to.deep.equal([
      'location',
      'seen',
      'location',
      'seen',
    ]);
    expect(await storedHistory(database, id)).to.deep.equal([
      { observedAt: back(2 * day), locationId: place.a, durationSeconds: null },
      { observedAt: back(day + 60), locationId: place.b, durationSeconds: day - 60 },
      { observedAt: back(day - 3660), locationId: place.a, durationSeconds: 3720 },
      { observedAt: back(HOUR), locationId: place.b, durationSeconds: day - 3660 - HOUR },
    ]);
    const [position] = await database.rows(
      'select location_id, micros_of_time(last_seen) as seen from positions where asset_id = $1',
      [id],
    );
    expect(position).to.deep.equal({ location_id: place.b, seen: back(HOUR) });
  });
});
