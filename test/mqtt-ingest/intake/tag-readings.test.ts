import { expect } from 'chai';
import { sweepReadings } from '../../../db/timescale/schema/retention.ts';
import { READING_KINDS } from '../../../domain/tracking/reading-kind.ts';
import { useDatabase } from '../../support/database.ts';
import { openIntake, type TestIntake } from '../../support/intake.ts';
import { Site } from '../../support/site.ts';

describe('what tags measure', () => {
  const database = useDatabase();
  let site: Site;
  let intake: TestIntake;
  let made = 0;
  before(async () => {
    site = await Site.create(database);
    const hall = await site.location('HALL');
    await site.reader('bridge', [hall], { topic: 'site/bridge', format: 'tagtrail' });
    await site.reader('other', [null], { topic: 'site/other', format: 'tagtrail' });
    intake = await openIntake(database);
  });

  async function sensor() {
    const value = `C3000025${String(++made).padStart(4, '0')}`;
    const assetId = await site.asset(`SENSOR-${made}`);
    await site.tag({ assetId }, value, 'ble');
    return { assetId, value };
  }
  const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
  const send = (reads: object[], topic = 'site/bridge') => intake.receive(topic, JSON.stringify({ reads }));
  const kept = (assetId: number) =>
    database.rows(
      `select measured.key as kind, measured.value::float8 as value
       from tag_readings reading, jsonb_each_text(to_jsonb(reading) - '{org_id,asset_id,tag_id,observed_at}'::text[]) measured
       where reading.asset_id = $1 and measured.value is not null order by 1, reading.observed_at`,
      [assetId],
    );
  const newest = async (assetId: number) =>
    (
      await database.rows<Record<string, number | null>>(
        `select newest.* from newest_readings newest join tags on tags.id = newest.tag_id where tags.asset_id = $1`,
        [assetId],
      )
    )[0];

  it('is kept once for each kind and instant, however often and in whatever order it comes', async () => {
    const { assetId, value } = await sensor();
    const read = (minutes: number, temperature_c: number, more = {}) => ({
      ...{ tag_type: 'ble', value, observed_at: minutesAgo(minutes), temperature_c, ...more },
    });
    const reads = [read(2, 4.5), read(8, 5.5, { battery_percent: 88 }), read(5, -2)];
    for (const each of [reads, reads.toReversed(), reads]) {
      await send(each);
    }
    expect(await kept(assetId)).to.deep.equal([
      { kind: 'battery_percent', value: 88 },
      { kind: 'temperature_c', value: 5.5 },
      { kind: 'temperature_c', value: -2 },
      { kind: 'temperature_c', value: 4.5 },
    ]);
    expect(await newest(assetId)).to.include({ temperature_c: 4.5, battery_percent: 88, button: null });
  });

  it('is the greatest of several values at one instant, in either order, by whichever reader', async () => {
    for (const values of [
      [3, 7],
      [7, 3],
    ]) {
      const { assetId, value } = await sensor();
      const observed_at = minutesAgo(1);
      for (const [index, temperature_c] of values.entries()) {
        await send(
          [{ tag_type: 'ble', value, observed_at, temperature_c }],
          index === 0 ? undefined : 'site/other',
        );
      }
      expect(await kept(assetId)).to.deep.equal([{ kind: 'temperature_c', value: 7 }]);
      expect(await newest(assetId)).to.include({ temperature_c: 7 });
    }
  });

  it('is written with the tag when it changes, and once in a minute otherwise', async () => {
    const { assetId, value } = await sensor();
    const start = Date.now() - 100_000;
    const written: unknown[] = [];
    for (const [second, temperature_c] of [
      [0, 4],
      [5, 4],
      [3, 6],
      [7, 5],
      [8, 5],
      [70, 5],
    ] as const) {
      const observed_at = new Date(start + second * 1_000).toISOString();
      await send([{ tag_type: 'ble', value, observed_at, temperature_c }]);
      const row = await newest(assetId);
      written.push([
        (Number(new Date(String(row?.['temperature_c_at']))) - start) / 1_000,
        row?.['temperature_c'],
      ]);
    }
    expect(written).to.deep.equal([
      [0, 4],
      [0, 4],
      [0, 4],
      [7, 5],
      [7, 5],
      [70, 5],
    ]);
    expect(await kept(assetId)).to.have.lengthOf(6);
  });

  it('is kept of reads that are placed nowhere, but not of unknown tags, and no value outside its range', async () => {
    const { assetId, value } = await sensor();
    await send([{ tag_type: 'ble', value, observed_at: minutesAgo(1), motion: true }], 'site/other');
    await send([
      { tag_type: 'ble', value: 'C300002500FF', temperature_c: 1 },
      { tag_type: 'ble', value, observed_at: minutesAgo(1), temperature_c: 1_001, humidity_percent: 'high' },
    ]);
    expect(await kept(assetId)).to.deep.equal([{ kind: 'motion', value: 1 }]);
  });

  it('is all stored of a message with thousands of values', async () => {
    const { assetId, value } = await sensor();
    const reads = Array.from({ length: 1_500 }, (_, index) => ({
      ...{ tag_type: 'ble', value, observed_at: minutesAgo(index / 60) },
      ...Object.fromEntries(READING_KINDS.map((kind) => [kind, index % 100])),
    }));
    await send(reads);
    expect(await kept(assetId)).to.have.lengthOf(9_000);
  });

  it('is dropped after its time, but for the newest of a tag', async () => {
    const { assetId, value } = await sensor();
    for (const days of [25, 1]) {
      await send([
        {
          tag_type: 'ble',
          value,
          observed_at: minutesAgo(days * 1_440),
          [days === 1 ? 'motion' : 'temperature_c']: days,
        },
      ]);
    }
    await sweepReadings(database.pool, 10);
    expect(await kept(assetId)).to.deep.equal([{ kind: 'motion', value: 1 }]);
    expect(await newest(assetId)).to.include({ motion: 1, temperature_c: 25 });
  });
});
