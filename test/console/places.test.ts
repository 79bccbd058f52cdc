import { expect } from 'chai';
import { sealBatch } from '../../domain/moves/sealing/seal-batch.ts';
import { useConsole } from '../support/console.ts';
import { aRead, record } from '../support/recording.ts';
import { Site } from '../support/site.ts';

describe('a place, in the console', () => {
  const suite = useConsole();
  const { database } = suite;
  let site: Site;
  let token: string;
  let readerId: number;
  let dock: number;
  let yard: number;
  const began = (Date.now() - 86_400_000) * 1_000;
  const get = (path: string) => suite.call({ path, token });
  const read = (value: string, locationId: number, seconds: number) =>
    record(database, [
      aRead({ orgId: site.orgId, readerId, value, locationId, at: began + seconds * 1_000_000, rssi: null }),
    ]);

  before(async () => {
    site = await Site.create(database);
    token = await suite.as('viewer', site.orgId);
    dock = await site.location('DOCK');
    yard = await site.location('YARD');
    readerId = await site.reader('gate', [dock, yard]);
    for (const [index, seconds] of [30, 100, 200, 100_000].entries()) {
      const value = `E2801${index}`;
      await site.asset(`A-${index}`, value);
      await read(value, dock, 0);
      if (seconds < 86_400) {
        await read(value, yard, seconds);
      }
    }
    await sealBatch(database.pool, [{ orgId: site.orgId, after: 0, share: 1_000 }]);
  });

  it('says how long what left it had been there', async () => {
    const { data } = (await get(`/locations/${dock}/dwell`)).body;
    const { bars, ...rest } = data;
    // The feed is younger than seven days, as it is after an upgrade too.
    const [begun] = await database.rows<{ at: Date }>(
      'select min(recorded_at)::text::timestamptz as at from moves where org_id = $1',
      [site.orgId],
    );
    const lookedBackTo = new Date(begun?.at ?? '').toISOString();
    expect(rest).to.deep.equal({ days: 7, looked_back_to: lookedBackTo, stays: 3, median_seconds: 100 });
    const filled = bars.filter(({ stays }: { stays: number }) => stays > 0);
    expect(filled).to.deep.equal([
      { below: 60, stays: 1 },
      { below: 300, stays: 2 },
    ]);
    expect(bars.at(-1)).to.deep.equal({ below: null, stays: 0 });
    expect((await get(`/locations/${yard}/dwell`)).body.data).to.include({ stays: 0, median_seconds: null });
  });

  it('says whether things pass it or stay there, and counts those where they do', async () => {
    const admin = await suite.as('admin', site.orgId);
    const set = (json: object, as = admin) =>
      suite.call({ method: 'POST', path: '/watches', json, token: as });
    const room = { location_external_key: 'YARD', mode: 'continuous', max_gap_seconds: 90, coverage: 'any' };
    expect((await set(room, token)).status).to.equal(403);
    const gate = await set({ ...room, mode: 'portal' });
    expect([gate.status, gate.body.error.fields[0].field]).to.deep.equal([400, 'max_gap_seconds']);
    expect((await set(room)).status).to.equal(200);
    const { data } = (await get(`/watches?location_id=${dock}&external_key=YARD`)).body;
    expect(data.map(({ valid_from: _, ...watch }: { valid_from: string }) => watch)).to.deep.equal([
      {
        location_id: yard,
        external_key: 'YARD',
        mode: 'continuous',
        max_gap_seconds: 90,
        is_learned: false,
        coverage: 'any',
      },
    ]);
    const counts = async (query: string) => (await get(`/watches/counts${query}`)).body.data;
    const measured = async () => (await get('/watches/measured')).body.data;
    expect(await measured()).to.deep.equal([]);
    const sensor = await site.asset('SENSOR', 'E2D1');
    await database.rows(
      `insert into newest_readings (org_id, tag_id, humidity_percent, humidity_percent_at)
       select org_id, id, 40, now() from tags where asset_id = $1`,
      [sensor],
    );
    expect(await measured()).to.deep.equal(['humidity_percent']);
    expect(await counts('')).to.deep.equal({ continuous: 1, with_antennas: 1 });
    expect(await counts('?external_key=DOCK')).to.deep.equal({ continuous: 0, with_antennas: 0 });
    expect(await counts('?external_key=YARD')).to.deep.equal({ continuous: 1, with_antennas: 1 });
    await site.location('SHED', yard);
    expect((await set({ ...room, location_external_key: 'SHED' })).status).to.equal(200);
    expect(await counts('?external_key=YARD')).to.deep.equal({ continuous: 2, with_antennas: 1 });
    expect(await counts('?external_key=SHED')).to.deep.equal({ continuous: 1, with_antennas: 0 });
    expect(await counts('?external_key=GONE')).to.deep.equal({ continuous: 0, with_antennas: 0 });
  });

  it('names the antennas that see it, and when their readers were last heard', async () => {
    await database.rows(
      `insert into reader_counters (org_id, reader_id, last_message_at) values ($1, $2, '2026-05-04T08:00:00Z')
       on conflict (org_id, reader_id) do update set last_message_at = excluded.last_message_at`,
      [site.orgId, readerId],
    );
    expect((await get(`/locations/${yard}/antennas`)).body.data).to.deep.equal([
      {
        ...{ port: 2, name: null, enabled: true, min_rssi: null, reader: { id: readerId, name: 'gate' } },
        last_message_at: '2026-05-04T08:00:00.000Z',
      },
    ]);
    await database.rows('update readers set deleted_at = now() where id = $1', [readerId]);
    expect((await get(`/locations/${yard}/antennas`)).body.data).to.deep.equal([]);
    await database.rows('update readers set deleted_at = null where id = $1', [readerId]);
  });

  it('lists its sweeps, the latest first', async () => {
    await database.rows(
      `with made as (
         insert into handhelds (org_id, name, token_sha256) values ($1, 'Gun 3', sha256('x')) returning id)
       insert into sweeps (org_id, id, handheld_id, body_sha256, received_at, location_id, began_at, ended_at,
         include_descendants, expected, found, moved_here, missing, unknown, unknown_tags)
       select $1, 'S' || n, made.id, sha256('x'), now(), $2, '2026-05-04', ('2026-05-04T0' || n || ':00:00Z')::timestamptz, false,
         5, 4, n, 1, 0, '{}' from made, generate_series(1, 2) n`,
      [site.orgId, dock],
    );
    const { data } = (await get(`/locations/${dock}/sweeps`)).body;
    const counts = { handheld: 'Gun 3', expected: 5, found: 4, missing: 1, unknown: 0 };
    expect(data).to.deep.equal([
      { id: 'S2', ended_at: '2026-05-04T02:00:00.000Z', moved_here: 2, ...counts },
      { id: 'S1', ended_at: '2026-05-04T01:00:00.000Z', moved_here: 1, ...counts },
    ]);
    expect((await get(`/locations/${yard}/sweeps`)).body.data).to.deep.equal([]);
  });
});
