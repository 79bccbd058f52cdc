import { expect } from 'chai';
import { verbsOn } from '../../../db/timescale/queries/verbs.ts';
import { isAlert } from '../../../domain/moves/event.ts';
import { movesAt } from '../../../domain/moves/moves-at.ts';
import { readPlacementsOfEvents } from '../../../domain/moves/published/read-placements.ts';
import { readMoves } from '../../../domain/moves/read-moves.ts';
import { useDatabase } from '../../support/database.ts';
import { appendMoves } from '../../support/feed-rows.ts';
import { sealAll } from '../../support/seal-all.ts';
import { Site } from '../../support/site.ts';

describe('the events of a feed', () => {
  const database = useDatabase();
  let site: Site;
  let asset: number;
  let dock: number;
  let aisle: number;
  before(async () => {
    site = await Site.create(database);
    asset = await site.asset('FORKLIFT-2');
    dock = await site.location('DOCK-1');
    aisle = await site.location('AISLE-A');
  });
  const db = () => ({ orgId: site.orgId, ...verbsOn((query) => database.pool.query(query)) });
  const read = async (after: number, limit = 50) => {
    const page = await readMoves(db(), { after, limit });
    return { ...page, events: page.events.filter((event) => !isAlert(event)) };
  };
  const micros = (time: string) => Date.parse(time) * 1000;

  it('are none, at head 0, where there is no feed', async () => {
    const { orgId } = await Site.create(database, 'Empty');
    const page = await readMoves({ ...db(), orgId }, { after: 0, limit: 50 });
    expect(page).to.deep.equal({ events: [], head: 0, oldest: 1 });
  });

  it('tell a move by the one row that it adds', async () => {
    const head = await appendMoves(database, site.orgId, [
      {
        assetId: asset,
        recordedAt: '2026-05-04T08:00:11.120999Z',
        locationId: dock,
        since: '2026-05-04T07:41:00.000001Z',
        lastSeen: '2026-05-04T08:00:11Z',
        previousLocationId: aisle,
        durationSeconds: 300,
      },
    ]);
    expect((await read(head - 1)).events).to.deep.equal([
      {
        specversion: '1.0',
        id: `org-${site.orgId}-${head}`,
        source: `/orgs/${site.orgId}/moves`,
        type: 'tagtrail.asset.moved.v1',
        subject: `assets/${asset}`,
        time: '2026-05-04T08:00:11.120Z',
        datacontenttype: 'application/json',
        data: {
          position: head,
          asset: { id: asset, external_key: 'FORKLIFT-2' },
          current: {
            location_id: dock,
            location_external_key: 'DOCK-1',
            since: '2026-05-04T07:41:00.000Z',
            last_seen: '2026-05-04T08:00:11.000Z',
            changed: true,
          },
          added: [
            {
              row: '1777880460000001',
              event_observed_at: '2026-05-04T07:41:00.000Z',
              location_id: dock,
              location_external_key: 'DOCK-1',
              duration_seconds: 300,
            },
          ],
          removed: [],
          changed: [],
        },
      },
    ]);
  });

  it('tell a correction by what was added, removed and changed', async () => {
    const [at, then] = ['2026-05-04T07:38:00.000Z', '2026-05-04T07:41:00.000Z'];
    const head = await appendMoves(database, site.orgId, [
      {
        assetId: asset,
        kind: 'corrected',
        part: 2,
        parts: 3,
        locationId: dock,
        since: then,
        lastSeen: then,
        previousLocationId: dock,
        rows: {
          added: [[micros(at), aisle, 120]],
          removed: [[micros(at) + 1, dock, null]],
          changed: [[micros(then), dock, 180, aisle, null]],
        },
      },
    ]);
    const [event] = (await read(head - 1)).events;
    expect(event?.type).to.equal('tagtrail.history.corrected.v1');
    expect(event?.data.part).to.deep.equal([2, 3]);
    expect(event?.data.current.changed).to.equal(false);
    const row = (instant: string, key: number, location: number, duration: number | null) => ({
      row: String(key),
      event_observed_at: instant,
      location_id: location,
      location_external_key: location === dock ? 'DOCK-1' : 'AISLE-A',
      duration_seconds: duration,
    });
    expect(event?.data.added).to.deep.equal([row(at, micros(at), aisle, 120)]);
    expect(event?.data.removed).to.deep.equal([row(at, micros(at) + 1, dock, null)]);
    expect(event?.data.changed).to.deep.equal([
      { ...row(then, micros(then), dock, 180), was: { location_id: aisle, duration_seconds: null } },
    ]);
  });

  it('say nowhere of an asset whose only scan was taken back', async () => {
    const head = await appendMoves(database, site.orgId, [
      {
        assetId: asset,
        kind: 'corrected',
        previousLocationId: dock,
        rows: { removed: [[micros('2026-05-04T07:38:00Z'), dock, null]] },
      },
    ]);
    expect((await read(head - 1)).events[0]?.data.current).to.deep.equal({
      location_id: null,
      location_external_key: null,
      since: null,
      last_seen: null,
      changed: true,
    });
  });

  it('have the keys of the moment of reading, deleted or not', async () => {
    const place = await site.location('BEFORE');
    const thing = await site.asset('THING');
    const moved = {
      assetId: thing,
      locationId: place,
      since: '2026-05-04T07:38:00Z',
      lastSeen: '2026-05-04T07:38:00Z',
    };
    const rows = { added: [[micros('2026-05-04T07:38:00Z'), place, null]] };
    const head = await appendMoves(database, site.orgId, [moved, { ...moved, kind: 'corrected', rows }]);
    await database.rows(`update locations set external_key = 'AFTER', deleted_at = now() where id = $1`, [
      place,
    ]);
    await database.rows(`update assets set external_key = 'GONE', deleted_at = now() where id = $1`, [thing]);
    const { events } = await read(head - 2);
    expect(await movesAt(db(), site.orgId, [head, head - 1])).to.deep.equal(events);
    for (const { data } of events) {
      expect(data.asset.external_key).to.equal('GONE');
      expect(data.current.location_external_key).to.equal('AFTER');
      expect(data.added[0]?.location_external_key).to.equal('AFTER');
    }
  });

  it('are of alerts too, each change of their state one, with present names, and no placement is published of them', async () => {
    const yard = await site.location('YARD');
    const [{ head } = { head: 0 }] = await database.rows<{ head: number }>(
      'select head from move_heads where org_id = $1',
      [site.orgId],
    );
    await database.rows(
      `insert into alerts (org_id, id, rule_id, rule_valid_from, rule_name, kind, asset_id, location_id, opened_at, because)
       values ($1, 'A', 'R', now(), 'Not in the yard', 'not_allowed', $2, $3, '2026-05-04T07:38:00Z', '{"location_id":1}')`,
      [site.orgId, asset, yard],
    );
    await database.rows(
      `update alerts set state = 'closed', closed_at = '2026-05-04T07:39:00Z' where id = 'A'`,
    );
    await sealAll(database.url);
    const { events } = await readMoves(db(), { after: head, limit: 50 });
    expect(events.map(({ type, subject }) => [type, subject])).to.deep.equal([
      ['tagtrail.alert.opened.v1', 'alerts/A'],
      ['tagtrail.alert.closed.v1', 'alerts/A'],
    ]);
    expect(await movesAt(db(), site.orgId, [head + 1, head + 2])).to.deep.equal(events);
    const told = events.filter(isAlert).map(({ data }) => data.alert);
    expect(told[0]).to.deep.include({
      ...{ state: 'open', reader: null, closed_at: null, because: { location_id: 1 } },
      ...{ rule: { id: 'R', name: 'Not in the yard' }, location: { id: yard, external_key: 'YARD' } },
    });
    expect(told[0]?.asset?.id).to.equal(asset);
    expect(told[1]).to.deep.include({ state: 'closed', closed_at: '2026-05-04T07:39:00.000Z' });
    expect(await readPlacementsOfEvents(database.pool, site.orgId, { after: head, limit: 1 })).to.deep.equal({
      placements: [],
      upTo: head + 1,
    });
  });

  it('come in order of their positions, from the one after that given, as many as asked for', async () => {
    const { orgId } = await Site.create(database, 'Many');
    const own = { ...db(), orgId };
    const sealedAt = (index: number) => `2026-0${1 + Math.floor(index / 10)}-01T00:00:00Z`;
    await appendMoves(
      database,
      orgId,
      Array.from({ length: 60 }, (_, index) => ({ assetId: asset, sealedAt: sealedAt(index) })),
    );
    await database.rows('update move_heads set oldest = 5 where org_id = $1', [orgId]);
    const positions = async (after: number, limit: number) => {
      const { events, head, oldest } = await readMoves(own, { after, limit });
      expect({ head, oldest }).to.deep.equal({ head: 60, oldest: 5 });
      return events.map(({ data }) => data.position);
    };
    const from = (first: number, last: number) =>
      Array.from({ length: last - first + 1 }, (_, index) => first + index);
    for (const [after, limit, expected] of [
      [4, 3, from(5, 7)],
      [9, 200, from(10, 60)],
      [19, 11, from(20, 30)],
      [59, 50, [60]],
      [60, 50, []],
      [61, 50, []],
      [Number.MAX_SAFE_INTEGER, 200, []],
      [3, 50, []],
    ] as const) {
      expect(await positions(after, limit), `after ${after}`).to.deep.equal(expected);
    }
    expect((await movesAt(db(), orgId, [31, 7, 12])).map(({ data }) => data.position)).to.deep.equal([
      7, 12, 31,
    ]);
    expect(await movesAt(db(), orgId, [])).to.deep.equal([]);
  });

  it('come fewer at a time where they are large, and always one', async () => {
    const { orgId } = await Site.create(database, 'Large');
    const rows = {
      added: Array.from({ length: 1_000 }, (_, index) => [
        1_777_880_000_000_000 + index * 7_919_123,
        dock,
        index % 97,
      ]),
    };
    await appendMoves(
      database,
      orgId,
      Array.from({ length: 60 }, () => ({ assetId: asset, kind: 'corrected' as const, rows })),
    );
    let after = 0;
    for (let pages = 0; after < 60; pages++) {
      const { events } = await readMoves({ ...db(), orgId }, { after, limit: 200 });
      expect(events).to.have.lengthOf.within(1, 30);
      expect(events[0]?.data.position).to.equal(after + 1);
      after += events.length;
      expect(pages).to.be.below(60);
    }
  });
});
