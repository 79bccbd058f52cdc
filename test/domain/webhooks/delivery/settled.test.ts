import { expect } from 'chai';
import { databaseOn } from '../../../../db/timescale/connections/database.ts';
import { createWritePool } from '../../../../db/timescale/connections/pool.ts';
import { type Connection, verbsOn } from '../../../../db/timescale/queries/verbs.ts';
import type { MoveEvent } from '../../../../domain/moves/event.ts';
import { readFigures } from '../../../../domain/webhooks/figures.ts';
import { replayWebhook } from '../../../../domain/webhooks/replay-webhook.ts';
import { setWebhook, type WebhookChange } from '../../../../domain/webhooks/set-webhook.ts';
import { TEST_ACTOR } from '../../../support/actor.ts';
import { useDatabase } from '../../../support/database.ts';
import { appendMoves, type FeedRow } from '../../../support/feed-rows.ts';
import { type Received, type Receiver, startReceiver } from '../../../support/receiver.ts';
import { Site } from '../../../support/site.ts';
import { until } from '../../../support/subscribed-ingest.ts';
import { newWebhook, SETTINGS, type StartedDeliverer, startDeliverer } from '../../../support/webhooks.ts';

const eventOf = ({ body }: Received): MoveEvent => JSON.parse(body);
const positionOf = (request: Received) => eventOf(request).data.position;

const FIRST = 1_777_880_280_000_000;
const SECOND = FIRST + 1_000_000;

describe('a webhook that waits', () => {
  const database = useDatabase();
  let site: Site;
  let dock: number;
  let yard: number;
  let receiver: Receiver;
  let started: StartedDeliverer[] = [];

  beforeEach(async () => {
    await database.rows(`update webhooks set state = 'off'`);
    site = await Site.create(database);
    dock = await site.location('DOCK');
    yard = await site.location('YARD');
    receiver = await startReceiver();
  });

  afterEach(async () => {
    await Promise.all(started.map(({ stop }) => stop()));
    started = [];
    await receiver.close();
  });

  const start = async (parts = {}) => {
    started.push(await startDeliverer(database, parts));
  };

  const webhook = (wanted = {}) =>
    newWebhook(database, { orgId: site.orgId, url: receiver.url, settleSeconds: 1, ...wanted });

  const set = (id: number, change: WebhookChange) =>
    setWebhook(databaseOn(database.pool), TEST_ACTOR, SETTINGS, { orgId: null, id }, change);

  const append = (...rows: FeedRow[]) => appendMoves(database, site.orgId, rows);

  const came = (
    assetId: number,
    at: number,
    locationId: number,
    previousLocationId: number | null,
  ): FeedRow => ({
    ...{ assetId, locationId, previousLocationId, durationSeconds: 60 },
    since: new Date(at / 1_000).toISOString(),
    lastSeen: new Date(at / 1_000).toISOString(),
  });

  const corrected = (row: FeedRow, rows: object): FeedRow => ({ ...row, kind: 'corrected', rows });

  const alertOf =
    (asset: number, recordedAt = Date.now() * 1_000) =>
    (kind: 'opened' | 'withdrawn' | 'closed', alertId: string): FeedRow => ({
      ...{ assetId: null, kind: `alert_${kind}` },
      rows: {
        alert: [
          {
            ...{ id: alertId, rule_id: 'R', rule_name: 'Rule', kind: 'not_allowed', asset_id: asset },
            ...{ reader_id: null, location_id: yard, level: null, state: kind === 'opened' ? 'open' : kind },
            ...{ opened_at: SECOND, recorded_at: recordedAt, because: null },
            ...{ acknowledged_at: null, acknowledged_by: null, closed_at: null },
          },
        ],
      },
    });

  /** An asset that was taken for a moment to be in the yard. */
  const back = (assetId: number) =>
    corrected(came(assetId, FIRST, dock, yard), { removed: [[SECOND, yard, 60]] });

  const positions = () =>
    database.rows<{ webhook: number; lowest: number }>(
      'select webhook_id as webhook, min(position)::int4 as lowest from webhook_lanes group by 1',
    );

  const reached = (id: number, position: number) =>
    until(async () =>
      (await positions()).some(({ webhook: own, lowest }) => own === id && lowest >= position),
    );

  it('is sent the net change of an asset, with its last position, and nothing of what cancels out', async () => {
    const [still, crossing, wavering] = [await site.asset('A'), await site.asset('B'), await site.asset('C')];
    const { id } = await webhook();
    await append(
      came(still, FIRST, dock, null),
      came(crossing, FIRST, dock, null),
      came(wavering, FIRST, dock, null),
    );
    await start();
    await receiver.got(3);
    expect(receiver.received.map(positionOf).sort()).to.deep.equal([1, 2, 3]);
    receiver.received.length = 0;

    const began = performance.now();
    await append(
      came(still, SECOND, yard, dock),
      came(crossing, SECOND, yard, dock),
      back(still),
      came(crossing, SECOND + 1_000_000, dock, yard),
      came(wavering, SECOND, yard, dock),
      corrected(came(wavering, SECOND, dock, yard), { changed: [[SECOND, dock, 60, yard, 60]] }),
    );
    await receiver.got(2);
    expect(performance.now() - began).to.be.at.least(950);
    await reached(id, 9);
    const [two, one] = receiver.received.map(eventOf).sort((a, b) => a.data.asset.id - b.data.asset.id);
    expect(two?.data).to.deep.include({ position: 7, removed: [], changed: [] });
    expect(two?.type).to.equal('tagtrail.history.corrected.v1');
    expect(two?.data.added.map((row) => row.location_external_key)).to.deep.equal(['YARD', 'DOCK']);
    expect(two?.data.current).to.include({ location_external_key: 'DOCK', changed: false });
    expect(one?.data).to.deep.include({ position: 9, removed: [], changed: [] });
    expect(one?.type).to.equal('tagtrail.asset.moved.v1');
    expect(one?.data.added).to.have.length(1);
    expect(one?.id).to.equal(`org-${site.orgId}-9`);
    expect(receiver.received).to.have.length(2);
  });

  it('is sent what was held no later than that, also while more comes', async () => {
    const asset = await site.asset('A');
    const { id } = await webhook();
    await start();
    let head = 0;
    let at = FIRST;
    const until3 = performance.now() + 3_500;
    while (performance.now() < until3) {
      head = await append(came(asset, at, at % 2_000_000 === 0 ? dock : yard, null));
      at += 1_000_000;
    }
    await reached(id, head);
    const told = receiver.received.map(positionOf);
    expect(told.length).to.be.within(3, 5);
    expect(told).to.deep.equal([...told].sort((a, b) => a - b));
    expect(told.at(-1)).to.equal(head);
    const rows = receiver.received.flatMap((each) => eventOf(each).data.added);
    expect(rows).to.have.length(head);
  });

  it('is sent once what changed while it was paused, or its receiver away', async () => {
    const assets = [await site.asset('A'), await site.asset('B')];
    const [paused, away] = [
      await webhook({ url: `${receiver.url}paused` }),
      await webhook({ url: `${receiver.url}away` }),
    ];
    const { port } = receiver;
    await set(paused.id, { state: 'paused' });
    await receiver.close();
    await start({ ladder: Array<number>(600).fill(0.2) });
    let head = 0;
    for (const asset of assets) {
      head = await append(came(asset, FIRST, dock, null));
    }
    const attempts = async () =>
      (await database.rows('select from webhook_attempts where webhook_id = $1', [away.id])).length;
    await until(async () => (await attempts()) >= 4);
    for (const asset of assets) {
      head = await append(
        came(asset, SECOND, yard, dock),
        back(asset),
        came(asset, SECOND + 1_000, yard, dock),
        corrected(came(asset, FIRST, dock, yard), { removed: [[SECOND + 1_000, yard, 60]] }),
      );
    }
    const before = await attempts();
    await until(async () => (await attempts()) > before + 2);
    receiver = await startReceiver('127.0.0.1', port);
    await set(paused.id, { state: 'on' });
    await Promise.all([reached(paused.id, head), reached(away.id, head)]);
    for (const path of ['/paused', '/away']) {
      const told = receiver.received.filter((each) => each.path === path).map(eventOf);
      expect(told.map(({ data }) => data.asset.external_key).sort(), path).to.deep.equal(['A', 'B']);
      for (const { data, type } of told) {
        expect(type).to.equal('tagtrail.asset.moved.v1');
        expect(data.added.map((row) => row.location_external_key)).to.deep.equal(['DOCK']);
      }
    }
  });

  it('is sent again just what may have arrived, and what followed by itself', async () => {
    const asset = await site.asset('A');
    const { id } = await webhook();
    let isRefusing = true;
    receiver.answer = (response) => response.writeHead(isRefusing ? 500 : 204).end();
    await append(came(asset, FIRST, dock, null), came(asset, SECOND, yard, dock));
    await start({ ladder: Array<number>(600).fill(0.2) });
    await receiver.got(2);
    const head = await append(back(asset));
    await receiver.got(4);
    // As a kill leaves it: another process goes on.
    await Promise.all(started.map(({ stop }) => stop()));
    await start({ ladder: Array<number>(600).fill(0.2) });
    const before = receiver.received.length;
    await receiver.got(before + 2);
    isRefusing = false;
    await reached(id, head);
    const bodies = receiver.received.map(({ body }) => body);
    expect(new Set(bodies.slice(0, -1)).size).to.equal(1);
    expect(receiver.received.map(positionOf).slice(-2)).to.deep.equal([2, 3]);
    expect(JSON.parse(bodies.at(-1) ?? '').data.removed).to.have.length(1);
  });

  it('is sent its types and what touches its location, by the net change', async () => {
    const [still, gone] = [await site.asset('A'), await site.asset('B')];
    const types = ['tagtrail.asset.moved.v1'];
    const all = await webhook({ url: `${receiver.url}all` });
    const moved = await webhook({ url: `${receiver.url}moved`, types });
    const inYard = await webhook({ url: `${receiver.url}yard`, locationExternalKey: 'YARD' });
    const head = await append(
      came(still, FIRST, dock, null),
      came(still, SECOND, yard, dock),
      back(still),
      came(gone, FIRST, dock, null),
      came(gone, SECOND, yard, dock),
    );
    await start();
    await Promise.all([all, moved, inYard].map(({ id }) => reached(id, head)));
    const at = (path: string) =>
      receiver.received
        .filter((each) => each.path === path)
        .map(positionOf)
        .sort();
    expect(at('/all')).to.deep.equal([3, 5]);
    expect(at('/moved')).to.deep.equal([3]);
    expect(at('/yard')).to.deep.equal([5]);
  });

  it('is sent alerts as they are, in their order among moves, but none that was withdrawn meanwhile', async () => {
    const asset = await site.asset('A');
    const { id } = await webhook();
    const alert = alertOf(asset);
    const head = await append(
      came(asset, FIRST, dock, null),
      came(asset, SECOND, yard, dock),
      alert('opened', 'FALSE'),
      back(asset),
      alert('withdrawn', 'FALSE'),
      came(asset, SECOND + 1_000, yard, dock),
      alert('opened', 'TRUE'),
      corrected(came(asset, FIRST, dock, yard), { removed: [[SECOND + 1_000, yard, 60]] }),
      alert('closed', 'TRUE'),
    );
    await start();
    await reached(id, head);
    const told = receiver.received.map((each) => {
      const { type, data } = JSON.parse(each.body);
      return [data.position, type.split('.').at(-2), data.alert?.id ?? data.added.length];
    });
    expect(told).to.deep.equal([
      [6, 'corrected', 2],
      [7, 'opened', 'TRUE'],
      [8, 'corrected', 0],
      [9, 'closed', 'TRUE'],
    ]);
    // It was told before, and now that it became an alarm.
    const next = await append(alert('opened', 'OTHER'));
    await reached(id, next);
    const last = await append(alert('opened', 'OTHER'), alert('withdrawn', 'OTHER'));
    await reached(id, last);
    expect(
      receiver.received.slice(4).map((each) => JSON.parse(each.body).type.split('.').at(-2)),
    ).to.deep.equal(['opened', 'opened', 'withdrawn']);
  });

  it('asks once whether withdrawn alerts were told before, however many there are', async () => {
    const alert = alertOf(await site.asset('A'));
    const { id } = await webhook();
    const names = Array.from({ length: 60 }, (_, index) => `FALSE-${index}`);
    const head = await append(...names.flatMap((name) => [alert('opened', name), alert('withdrawn', name)]));
    const pool = createWritePool(database.url, { max: 4 });
    let asked = 0;
    const db: Connection = verbsOn((query) => {
      asked += Number(query.name?.includes('earlier-event') === true);
      return pool.query(query);
    });
    await start({ db });
    await reached(id, head);
    expect(receiver.received).to.deep.equal([]);
    expect(asked).to.be.within(1, 10);
    await Promise.all(started.map(({ stop }) => stop()));
    await pool.end();
  });

  it('goes on with each event as it comes when it is to wait no longer, within seconds', async () => {
    const asset = await site.asset('A');
    const { id } = await webhook({ settleSeconds: 60 });
    await start();
    await append(came(asset, FIRST, dock, null));
    await until(async () => (await database.rows('select from webhook_deliverers')).length > 0);
    await set(id, { settleSeconds: 0 });
    await receiver.got(1);
    const head = await append(came(asset, SECOND, yard, dock), back(asset));
    await reached(id, head);
    expect(receiver.received.map(positionOf)).to.deep.equal([1, 2, 3]);
  });

  it('is sent again from a position on, and is not late while it waits', async () => {
    const asset = await site.asset('A');
    const { id } = await webhook();
    const head = await append(came(asset, FIRST, dock, null), came(asset, SECOND, yard, dock));
    await start();
    await reached(id, head);
    await replayWebhook(databaseOn(database.pool), TEST_ACTOR, { orgId: null, id }, 0);
    await receiver.got(2);
    expect(receiver.received[1]?.body).to.equal(receiver.received[0]?.body);
    await set(id, { settleSeconds: 60 });
    await append(back(asset));
    expect((await readFigures(database.pool, site.orgId)).lag).to.equal(0);
  });

  it('merges a long backlog in pieces, and leaves out nothing', async () => {
    const assets = [await site.asset('A'), await site.asset('B')];
    const { id } = await webhook();
    let head = 0;
    for (let batch = 0; batch < 3; batch++) {
      const rows = Array.from({ length: 900 }, (_, index) =>
        came(
          assets[index % 2] ?? 0,
          FIRST + (batch * 900 + index) * 1_000_000,
          index % 4 < 2 ? dock : yard,
          null,
        ),
      );
      head = await append(...rows);
    }
    await start();
    await reached(id, head);
    const added = receiver.received.flatMap((each) => eventOf(each).data.added.map(({ row }) => row));
    expect(new Set(added).size).to.equal(2_700);
    expect(added).to.have.length(2_700);
    expect(receiver.received.length).to.be.at.most(6);
    for (const each of receiver.received) {
      expect(eventOf(each).data.added.length).to.be.at.most(1_000);
    }
  });
});
