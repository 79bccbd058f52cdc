import { expect } from 'chai';
import { Client } from '../../../../db/timescale/connections/client.ts';
import { connectionConfig } from '../../../../db/timescale/connections/connection.ts';
import { recomputeOrganization } from '../../../../domain/tracking/recompute/recompute-organization.ts';
import type { Scan } from '../../../../domain/tracking/scan.ts';
import { recordIn } from '../../../support/concurrently.ts';
import { useDatabase } from '../../../support/database.ts';
import { storeHistory } from '../../../support/earlier-history.ts';
import { folded } from '../../../support/fold.ts';
import { aRead, record, recordAnd, storedHistory } from '../../../support/recording.ts';
import { Site } from '../../../support/site.ts';
import { type StoredMove, unsealedMoves } from '../../../support/unsealed-moves.ts';

const START = Date.UTC(2026, 4, 1, 10) * 1_000;
const second = (count: number) => START + count * 1_000_000;

describe('a change of a history', () => {
  const database = useDatabase();
  let site: Site;
  let readerId: number;
  let A = 0;
  let B = 0;
  let C = 0;
  let value = '';
  let assetId = 0;
  let assets = 0;

  before(async () => {
    site = await Site.create(database);
    readerId = await site.reader('gate', [null]);
    A = await site.location('A');
    B = await site.location('B');
    C = await site.location('C');
  });

  beforeEach(async () => {
    value = `asset-${++assets}`;
    assetId = await site.asset(value, value);
  });

  const read = (locationId: number, at: number, rssi: number | null = null): Scan =>
    aRead({ orgId: site.orgId, readerId, antenna: locationId, value, locationId, at: second(at), rssi });

  const unsealed = (...scans: Scan[]) => recordAnd(database, scans, async (_, recorded) => recorded.unsealed);

  /** The events that `work` makes. */
  async function movesMadeBy(work: () => Promise<unknown>): Promise<StoredMove[]> {
    const before = (await unsealedMoves(database, assetId)).length;
    await work();
    return (await unsealedMoves(database, assetId)).slice(before);
  }

  it('makes an event of where the asset has come to, if that is all', async () => {
    await record(database, [read(A, 0)]);
    const [now] = await database.rows<{ now: number }>('select micros_of_time(clock_timestamp()) as now');
    const [move] = await movesMadeBy(() => record(database, [read(B, 90), read(B, 95)]));
    expect(move?.recorded_at).to.be.at.least(now?.now ?? Number.NaN);
    expect({ ...move, id: 0, recorded_at: 0 }).to.deep.equal({
      id: 0,
      part: 1,
      parts: 1,
      org_id: site.orgId,
      asset_id: assetId,
      kind: 'moved',
      recorded_at: 0,
      location_id: B,
      since: second(90),
      last_seen: second(95),
      previous_location_id: A,
      duration_seconds: 90,
      rows: null,
    });
  });

  it('makes an event of every row that was added, removed or changed, with what it was, if there is more', async () => {
    await record(database, [read(A, 0)]);
    await record(database, [read(B, 100)]);
    const late = await movesMadeBy(() => record(database, [read(C, 50), read(C, 60)]));
    expect(
      late.map(({ kind, location_id, since, rows }) => ({ kind, location_id, since, rows })),
    ).to.deep.equal([
      {
        kind: 'corrected',
        location_id: B,
        since: second(100),
        rows: { added: [[second(50), C, 50]], changed: [[second(100), B, 50, B, 100]] },
      },
    ]);
    const earlier = await movesMadeBy(() => record(database, [read(C, -10), read(B, 40)]));
    expect(earlier.map(({ rows }) => rows)).to.deep.equal([
      {
        added: [
          [second(-10), C, null],
          [second(40), B, 40],
        ],
        changed: [
          [second(0), A, 10, A, null],
          [second(50), C, 10, C, 50],
        ],
      },
    ]);
    const gone = await movesMadeBy(() => record(database, [read(B, 45), read(B, 50, -40), read(B, 60, -40)]));
    expect(gone.map(({ rows }) => rows)).to.deep.equal([
      {
        removed: [
          [second(50), C, 10],
          [second(100), B, 50],
        ],
      },
    ]);
    expect(folded(await unsealedMoves(database, assetId))).to.deep.equal(
      await storedHistory(database, assetId),
    );
  });

  it('makes one event of several moves of one commit', async () => {
    const [first, ...others] = await movesMadeBy(() =>
      record(database, [read(A, 0), read(B, 1), read(A, 2)]),
    );
    expect([first?.kind, first?.location_id, first?.previous_location_id]).to.deep.equal([
      'corrected',
      A,
      null,
    ]);
    expect(first?.rows?.added).to.have.length(3);
    expect(others).to.deep.equal([]);
  });

  it('makes none where nothing becomes different, and only those with one are counted', async () => {
    expect(await unsealed(read(A, 0))).to.equal(1);
    expect(await unsealed(read(A, 0))).to.equal(0);
    expect(await unsealed(read(A, 10), read(A, 5, -50))).to.equal(0);
    expect(await unsealed(read(A, 0, -40))).to.equal(0);
    expect(await unsealed(read(B, 11), read(A, 12))).to.equal(1);
    expect(await unsealedMoves(database, assetId)).to.have.length(2);
  });

  it('makes an event where a read came again, stronger, and the history follows it', async () => {
    await record(database, [read(A, 0, -50), read(B, 0, -60)]);
    const [move] = await movesMadeBy(() => record(database, [read(B, 0, -40)]));
    expect(move?.rows).to.deep.equal({ changed: [[second(0), B, null, A, null]] });
    expect([move?.location_id, move?.previous_location_id]).to.deep.equal([B, A]);
  });

  it('makes events of a thousand rows at a time, under one id', async () => {
    await record(database, [read(B, -1)]);
    const scans = Array.from({ length: 2_500 }, (_, index) => read(index % 2 === 0 ? A : B, index));
    const parts = await movesMadeBy(() => record(database, scans));
    expect(parts.map(({ part, parts: of, rows }) => [part, of, rows?.added?.length])).to.deep.equal([
      [1, 3, 1_000],
      [2, 3, 1_000],
      [3, 3, 500],
    ]);
    expect(
      new Set(parts.map(({ id, kind, recorded_at }) => `${id} ${kind} ${recorded_at}`)),
    ).to.have.property('size', 1);
    const [next] = await movesMadeBy(() => record(database, [read(C, 2_500)]));
    expect(next?.id).to.be.above(parts[0]?.id ?? Number.NaN);
    expect(folded(await unsealedMoves(database, assetId))).to.deep.equal(
      await storedHistory(database, assetId),
    );
  });

  it('is dated no earlier than the one before, though the clock of the database is set back', async () => {
    await record(database, [read(A, 0)]);
    // As an hour before the clock was set back.
    await database.rows(`update positions set told_at = told_at + interval '1 hour' where asset_id = $1`, [
      assetId,
    ]);
    const [first] = await unsealedMoves(database, assetId);
    const inAnHour = (first?.recorded_at ?? Number.NaN) + 3_600 * 1_000_000;
    const later = await movesMadeBy(async () => {
      await record(database, [read(B, 10)]);
      await record(database, [read(B, 20)]);
      await record(database, [read(C, 30)]);
    });
    expect(later.map(({ recorded_at }) => recorded_at)).to.deep.equal([inAnHour, inAnHour]);
  });

  it('makes an event if computing anew made it, and none if only the deciding scan is known now', async () => {
    await record(database, [read(A, 0), read(B, 10), read(C, 20)]);
    const history = await storedHistory(database, assetId);
    await storeHistory(database, { orgId: site.orgId, assetId }, history);
    let calls = 0;
    const onMoves = () => calls++;
    const recompute = (isDry: boolean) =>
      recomputeOrganization(database.pool, site.orgId, { assetId, isDry, onMoves });
    expect(await recompute(false)).to.deep.include({ changed: 0, written: 0, removed: 0 });
    await storeHistory(database, { orgId: site.orgId, assetId }, history.slice(0, 2));
    const before = (await unsealedMoves(database, assetId)).length;
    const found = { changed: 1, written: 1, removed: 0 };
    expect(await recompute(true)).to.deep.include(found);
    expect(calls).to.equal(0);
    expect(await recompute(false)).to.deep.include(found);
    expect(calls).to.equal(1);
    const [move, ...others] = (await unsealedMoves(database, assetId)).slice(before);
    expect([move?.kind, move?.location_id, move?.previous_location_id]).to.deep.equal(['moved', C, B]);
    expect(others).to.deep.equal([]);
  });

  it('makes its event for a user of the database that row-level security holds for, too', async () => {
    const user = `recorder_${process.pid}`;
    await database.rows(
      `create role ${user} nologin; grant tagtrail_service to ${user};
       grant all on all tables in schema public to ${user}; grant all on all sequences in schema public to ${user}`,
    );
    const client = new Client({ ...connectionConfig(database.url, 'test', user), pipeline: true });
    try {
      await client.connect();
      await client.query('begin');
      await recordIn(client, [read(A, 0)]);
      await client.query('commit');
    } finally {
      await client.end();
      await database.rows(`drop owned by ${user}; drop role ${user}`);
    }
    expect(await unsealedMoves(database, assetId)).to.have.length(1);
  });
});
