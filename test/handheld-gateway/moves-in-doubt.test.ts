import { expect } from 'chai';
import { createClock } from '../../base/clock.ts';
import { DatabaseClock } from '../../domain/tracking/database-clock.ts';
import { useGateway } from '../support/gateway.ts';
import { STRENGTH, storeSettings } from '../support/location-settings.ts';
import { aSubmission } from '../support/new-submission.ts';
import { aRead, record, storedPosition } from '../support/recording.ts';

const SECOND = 1_000_000;

describe('a scan by a handheld where strength decides', () => {
  const gateway = useGateway();
  const now = Date.UTC(2026, 4, 4, 12) * 1_000;
  let url: string;
  const place = { a: 0, b: 0, c: 0 };
  let readerId: number;
  before(async () => {
    url = await gateway.start({}, { clock: () => now, databaseClock: new DatabaseClock(createClock()) });
    place.a = await gateway.site.location('A');
    place.b = await gateway.site.location('B');
    place.c = await gateway.site.location('C');
    readerId = await gateway.site.reader('portal', [place.a, place.b]);
    await storeSettings(gateway.database, gateway.site.orgId, [
      { locationId: null, validFrom: now - 3_600 * SECOND, setting: STRENGTH },
    ]);
  });

  let assets = 0;
  /** An asset that is at A, and of which it is in doubt whether it is still there. */
  async function anAsset() {
    const value = `E2${String(++assets).padStart(6, '0')}`;
    const id = await gateway.site.asset(`ASSET-${assets}`, value);
    const read = (locationId: number, secondsAgo: number) =>
      aRead({ orgId: gateway.site.orgId, readerId, value, locationId, at: now - secondsAgo * SECOND });
    await record(gateway.database, [read(place.a, 90), read(place.b, 5), read(place.a, 4.5)], now);
    expect((await storedPosition(gateway.database, id))?.locationId).to.equal(place.a);
    return { id, value };
  }

  async function told(value: string, scans: [location: number, secondsAgo: number][]) {
    const results = [];
    for (const [id, secondsAgo] of scans) {
      const observed_at = new Date(now / 1_000 - secondsAgo * 1_000).toISOString();
      const sent_at = new Date(now / 1_000).toISOString();
      const scan = { tag_type: 'rfid', value, observed_at };
      const { body } = await gateway.submit(aSubmission([scan], { location: { id }, sent_at }), { url });
      const [{ status, from }] = body?.data.results ?? [];
      results.push([status, from?.id ?? null]);
    }
    return results;
  }

  it('moves the asset, although a read in doubt is newer', async () => {
    const { id, value } = await anAsset();
    expect(await told(value, [[place.c, 10]])).to.deep.equal([['moved', place.a]]);
    expect((await storedPosition(gateway.database, id))?.locationId).to.equal(place.c);
  });

  it('goes before a read at the same instant', async () => {
    const { id, value } = await anAsset();
    expect(await told(value, [[place.c, 5]])).to.deep.equal([['moved', place.a]]);
    expect((await storedPosition(gateway.database, id))?.locationId).to.equal(place.c);
  });

  it('moves it from where it was without the read in doubt, and not again', async () => {
    const { value } = await anAsset();
    expect(
      await told(value, [
        [place.b, 4],
        [place.b, 3],
        [place.a, 2],
      ]),
    ).to.deep.equal([
      ['moved', place.a],
      ['seen', null],
      ['moved', place.b],
    ]);
  });
});
