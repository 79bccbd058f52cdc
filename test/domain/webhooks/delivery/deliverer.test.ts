import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { HTTP } from 'cloudevents';
import { Webhook } from 'standardwebhooks';
import { databaseOn } from '../../../../db/timescale/connections/database.ts';
import { createWritePool } from '../../../../db/timescale/connections/pool.ts';
import { type Connection, verbsOn } from '../../../../db/timescale/queries/verbs.ts';
import { deleteOrganization } from '../../../../domain/administration/organizations/organizations.ts';
import type { MoveEvent } from '../../../../domain/moves/event.ts';
import { deleteWebhook } from '../../../../domain/webhooks/delete-webhook.ts';
import { listWebhooks } from '../../../../domain/webhooks/list-webhooks.ts';
import { replayWebhook } from '../../../../domain/webhooks/replay-webhook.ts';
import { openAgents } from '../../../../domain/webhooks/sending/agents.ts';
import { setWebhook } from '../../../../domain/webhooks/set-webhook.ts';
import { requireWebhook } from '../../../../domain/webhooks/stored-webhook.ts';
import { createResolve } from '../../../../domain/webhooks/targets/checked-lookup.ts';
import { TEST_ACTOR } from '../../../support/actor.ts';
import { useDatabase } from '../../../support/database.ts';
import { appendMoves, type FeedRow } from '../../../support/feed-rows.ts';
import { type Received, type Receiver, startReceiver } from '../../../support/receiver.ts';
import { Site } from '../../../support/site.ts';
import { untilWaiting } from '../../../support/until-waiting.ts';
import { newWebhook, SETTINGS, type StartedDeliverer, startDeliverer } from '../../../support/webhooks.ts';

const eventOf = ({ body }: Received): MoveEvent => JSON.parse(body);
const positionOf = (request: Received) => eventOf(request).data.position;

describe('the deliverer', () => {
  const database = useDatabase();
  let site: Site;
  let assets: number[];
  let hall: number;
  let dock: number;
  let yard: number;
  let receiver: Receiver;
  let started: StartedDeliverer[] = [];

  before(async () => {
    receiver = await startReceiver();
  });

  beforeEach(async () => {
    await database.rows(`update webhooks set state = 'off'`);
    site = await Site.create(database);
    hall = await site.location('HALL');
    dock = await site.location('DOCK', hall);
    yard = await site.location('YARD');
    assets = [];
    for (let index = 0; index < 16; index++) {
      assets.push(await site.asset(`ASSET-${index}`));
    }
    receiver.received.length = 0;
    receiver.answer = (response) => response.writeHead(204).end();
  });

  afterEach(async () => {
    await Promise.all(started.map(({ stop }) => stop()));
    started = [];
  });

  after(() => receiver.close());

  const start = async (parts = {}) => {
    const one = await startDeliverer(database, parts);
    started.push(one);
    return one;
  };

  const webhook = (wanted = {}) => newWebhook(database, { orgId: site.orgId, url: receiver.url, ...wanted });

  const move = (assetId: number, locationId = dock, rest: Partial<FeedRow> = {}): FeedRow => ({
    assetId,
    locationId,
    since: '2026-05-04T08:00:00Z',
    lastSeen: '2026-05-04T08:00:01Z',
    ...rest,
  });

  const append = (rows: FeedRow[]) => appendMoves(database, site.orgId, rows);

  async function until(isSo: () => Promise<boolean> | boolean): Promise<void> {
    while (!(await isSo())) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  const listed = async (id: number) => {
    const all = await listWebhooks(database.pool, site.orgId);
    return all.find((each) => each.id === id);
  };

  const reached = (id: number, position: number) =>
    until(async () => (await listed(id))?.position === position);

  it('reads once what several webhooks want that are at the same position', async () => {
    await append(assets.map((asset) => move(asset)));
    for (let at = 0; at < 8; at++) {
      await webhook({ after: 0 });
    }
    const pool = createWritePool(database.url, { max: 4 });
    let picks = 0;
    const db: Connection = {
      ...verbsOn((query) => {
        picks += Number(query.name === 'find-lane-positions');
        return pool.query(query);
      }),
    };
    const answered = Promise.withResolvers<void>();
    receiver.answer = (response) => void answered.promise.then(() => response.writeHead(204).end());
    const locking = await database.pool.connect();
    try {
      await locking.query('begin');
      await locking.query('lock table moves in access exclusive mode');
      const { deliverer } = await start({ db });
      await until(() => deliverer.sending === 64);
      // All lanes have taken their step by then, three before each rest of a millisecond.
      for (let rest = 0; rest < 100; rest++) {
        await pause(1);
      }
      expect(picks).to.equal(1);
    } finally {
      await locking.query('rollback');
      locking.release();
    }
    await receiver.got(64);
    // For each of the eight lanes once for the first that asked, and once for all others.
    expect(picks).to.equal(16);
    answered.resolve();
    await receiver.got(8 * assets.length);
    await Promise.all(started.map(({ stop }) => stop()));
    await pool.end();
  });

  it('sends what others are to be sent while it takes long to read for an organization', async () => {
    const other = await Site.create(database, 'Other');
    const patient = await webhook({ settleSeconds: 1 });
    await newWebhook(database, { orgId: other.orgId, url: receiver.url });
    const { deliverer } = await start();
    await until(() => deliverer.webhooks === 2);
    const locking = await database.pool.connect();
    try {
      await locking.query('begin');
      await locking.query('lock table webhook_settled in access exclusive mode');
      await append(assets.map((asset) => move(asset)));
      await until(() => deliverer.sending === 8);
      const thing = await other.asset('THING');
      await appendMoves(database, other.orgId, [move(thing, await other.location('SHELF'))]);
      await receiver.got(1);
      expect(receiver.received.map((each) => eventOf(each).data.asset.id)).to.deep.equal([thing]);
    } finally {
      await locking.query('rollback');
      locking.release();
    }
    await reached(patient.id, assets.length);
  });

  it('rests longer and longer after endless answers, and delivers each event once', async () => {
    const arrived: number[] = [];
    receiver.answer = (response) => {
      arrived.push(performance.now());
      response.writeHead(200);
      const flood = () => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536))) {
          // Goes on.
        }
      };
      response.on('drain', flood);
      flood();
    };
    await webhook();
    await start({ ladder: [0.2, 0.5] });
    const [asset = 0] = assets;
    await append([dock, yard, dock, yard].map((location) => move(asset, location)));
    await receiver.got(4);
    const between = arrived.slice(1).map((at, index) => at - (arrived[index] ?? 0));
    for (const [index, least] of [200, 400, 500].entries()) {
      // Timers may fire a millisecond early.
      expect(between[index]).to.be.at.least(least - 5);
    }
    expect(receiver.received.map(positionOf)).to.deep.equal([1, 2, 3, 4]);
  });

  it('sends each event once, signed, as a CloudEvent, and says how far it is', async () => {
    const { id, secret } = await webhook();
    await start();
    await append(
      assets.flatMap((asset) => [move(asset, dock), move(asset, yard, { previousLocationId: dock })]),
    );
    await receiver.got(32);
    await reached(id, 32);
    expect(receiver.received.map(positionOf).sort((a, b) => a - b)).to.deep.equal(
      Array.from({ length: 32 }, (_, index) => index + 1),
    );
    for (const asset of assets) {
      const ofAsset = receiver.received
        .filter((each) => eventOf(each).data.asset.id === asset)
        .map(positionOf);
      expect(ofAsset).to.deep.equal([...ofAsset].sort((a, b) => a - b));
    }
    for (const request of receiver.received) {
      const headers = request.headers as Record<string, string>;
      new Webhook(secret).verify(request.body, headers);
      const event = HTTP.toEvent<MoveEvent['data']>({ headers, body: request.body });
      expect(event).to.deep.include({ id: headers['webhook-id'], type: 'tagtrail.asset.moved.v1' });
      expect(event).to.deep.include({ id: `org-${site.orgId}-${positionOf(request)}` });
    }
    const attempts = await database.rows(
      'select status, attempt from webhook_attempts where webhook_id = $1',
      [id],
    );
    expect(attempts).to.have.length(32);
    expect((await listed(id))?.lastAttempt).to.include({ status: 204 });
  });

  it('sends the events of many webhooks one after another, and lets the process do something else in between', async () => {
    for (let count = 0; count < 20; count++) {
      await webhook();
    }
    await append(assets.flatMap((asset) => [move(asset), move(asset, yard, { previousLocationId: dock })]));
    let [round, isOver] = [0, false];
    const count = () => {
      round += 1;
      if (!isOver) {
        setImmediate(count);
      }
    };
    const begun = new Map<number, number>();
    const agents = openAgents({ networks: SETTINGS.networks, resolve: createResolve() });
    const of = (protocol: string, orgId: number) => {
      begun.set(round, (begun.get(round) ?? 0) + 1);
      return agents.of(protocol, orgId);
    };
    count();
    const { stop } = await start({ agents: { ...agents, of } });
    await receiver.got(20 * 32);
    isOver = true;
    await stop();
    agents.end();
    // One, and one more where the count of rounds comes in between.
    expect(Math.max(...begun.values())).to.be.at.most(2);
  });

  it('sends what is of the types and below the location that a webhook asks for', async () => {
    const all = await startReceiver();
    const everything = await webhook({ url: all.url });
    const moved = await webhook({ url: `${receiver.url}moved`, types: ['tagtrail.asset.moved.v1'] });
    const below = await webhook({ url: `${receiver.url}below`, locationExternalKey: 'HALL' });
    await start();
    const [asset = 0] = assets;
    const instant = 1_777_880_280_000_000;
    const corrected = (rows: object) =>
      move(asset, yard, { kind: 'corrected', previousLocationId: yard, rows });
    await append([
      move(asset, dock),
      move(asset, yard, { previousLocationId: dock }),
      move(asset, yard, { previousLocationId: yard }),
      corrected({ added: [[instant, yard, 1]] }),
      corrected({ removed: [[instant, dock, 1]] }),
      corrected({ changed: [[instant, yard, 1, hall, 2]] }),
    ]);
    await all.got(6);
    await Promise.all([everything, moved, below].map(({ id }) => reached(id, 6)));
    const at = (path: string) => receiver.received.filter((each) => each.path === path).map(positionOf);
    expect(all.received.map(positionOf)).to.deep.equal([1, 2, 3, 4, 5, 6]);
    expect(at('/moved')).to.deep.equal([1, 2, 3]);
    expect(at('/below')).to.deep.equal([1, 2, 5, 6]);
    // As the tree is now.
    await database.rows('update locations set parent_id = $2 where id = $1', [yard, hall]);
    await append([move(asset, yard, { previousLocationId: yard })]);
    await reached(below.id, 7);
    expect(at('/below')).to.deep.equal([1, 2, 5, 6, 7]);
    await all.close();
  });

  it('keeps back the assets of one lane behind an event that is refused, and nothing else', async () => {
    const { id } = await webhook();
    const [first = 0] = assets;
    const ofLane = assets.filter((asset) => (asset & 7) === (first & 7));
    let isRefusing = true;
    receiver.answer = (response, request) =>
      response.writeHead(isRefusing && eventOf(request).data.asset.id === first ? 500 : 204).end();
    await start({ ladder: [0.2, 0.2, 0.2, 0.2, 0.2, 0.2, 0.2, 0.2, 0.2, 0.2, 0.2, 0.2, 0.2, 0.2, 0.2] });
    await append([...assets, ...assets].map((asset) => move(asset)));
    await until(
      () => receiver.received.filter((each) => !ofLane.includes(eventOf(each).data.asset.id)).length === 28,
    );
    await until(() => receiver.received.filter((each) => positionOf(each) === 1).length >= 3);
    expect(
      new Set(
        receiver.received.filter((each) => ofLane.includes(eventOf(each).data.asset.id)).map(positionOf),
      ),
    ).to.deep.equal(new Set([1]));
    isRefusing = false;
    await reached(id, 32);
    const lane = receiver.received.filter((each) => ofLane.includes(eventOf(each).data.asset.id));
    expect([...new Set(lane.map(positionOf))]).to.deep.equal([1, 9, 17, 25]);
    const tries = await database.rows(
      'select attempt::integer, status::integer from webhook_attempts where webhook_id = $1 and position = 1 order by id',
      [id],
    );
    expect(tries.map((row) => row['attempt'])).to.deep.equal(tries.map((_, index) => index + 1));
    expect(tries.at(-1)).to.include({ status: 204 });
  });

  it('sends nothing more of an asset before what was delivered of it is recorded', async () => {
    const { id } = await webhook();
    const { deliverer } = await start();
    await until(() => deliverer.webhooks === 1);
    const [first = 0] = assets;
    const same = assets.find((asset) => asset !== first && (asset & 7) === (first & 7)) ?? 0;
    const other = assets.find((asset) => (asset & 7) !== (first & 7)) ?? 0;
    const blocker = await database.pool.connect();
    await blocker.query(`begin; select from webhook_lanes where webhook_id = ${id} for update`);
    await append([move(first), move(same), move(first, yard)]);
    await receiver.got(2);
    await untilWaiting(database, 1);
    // What comes later arrives, of another lane, while that waits.
    await append([move(other)]);
    await receiver.got(3);
    expect(receiver.received.map(positionOf)).to.deep.equal([1, 2, 4]);
    await blocker.query('rollback');
    blocker.release();
    await reached(id, 4);
    expect(receiver.received.map(positionOf)).to.deep.equal([1, 2, 4, 3]);
  });

  it('says the same id on every attempt', async () => {
    await webhook();
    let count = 0;
    receiver.answer = (response) => response.writeHead(count++ < 2 ? 503 : 204).end();
    await start({ ladder: [0.05, 0.05] });
    await append([move(assets[0] ?? 0)]);
    await receiver.got(3);
    const ids = receiver.received.map(({ headers, body }) => [headers['webhook-id'], JSON.parse(body).id]);
    expect(ids).to.deep.equal(Array(3).fill([`org-${site.orgId}-1`, `org-${site.orgId}-1`]));
  });

  it('pauses after the last attempt, and goes on where it was when it is switched on', async () => {
    const { id } = await webhook();
    receiver.answer = (response) => response.writeHead(500).end('broken');
    await start({ ladder: [0.05, 0.05] });
    await append([move(assets[0] ?? 0), move(assets[0] ?? 0, yard)]);
    await until(async () => (await listed(id))?.state === 'paused');
    expect(await listed(id)).to.deep.include({ stateReason: 'undeliverable', position: 0 });
    expect(receiver.received.map(positionOf)).to.deep.equal([1, 1, 1]);
    receiver.answer = (response) => response.writeHead(204).end();
    await setWebhook(databaseOn(database.pool), TEST_ACTOR, SETTINGS, { orgId: null, id }, { state: 'on' });
    await reached(id, 2);
    expect(receiver.received.map(positionOf)).to.deep.equal([1, 1, 1, 1, 2]);
    expect(await listed(id)).to.deep.include({ state: 'on', stateReason: null });
  });

  /** Resolves when both processes have looked since. */
  async function bothHaveLooked(): Promise<void> {
    const [begun] = await database.rows<{ at: string }>(`select clock_timestamp()::text as at`);
    await until(async () => {
      const [row] = await database.rows<{ count: number }>(
        `select count(*) from webhook_deliverers where alive_until > $1::timestamptz + interval '6 seconds'`,
        [begun?.at],
      );
      return row?.count === 2;
    });
  }

  for (const [change, make] of [
    [
      'paused and on again at once',
      async (id: number) => {
        for (const state of ['paused', 'on'] as const) {
          await setWebhook(databaseOn(database.pool), TEST_ACTOR, SETTINGS, { orgId: null, id }, { state });
        }
      },
    ],
    [
      'sent again from a position',
      (id: number) => replayWebhook(databaseOn(database.pool), TEST_ACTOR, { orgId: null, id }, 0),
    ],
  ] as const) {
    it(`changes hands only after the request that is under way, when it is ${change}`, async () => {
      const { id } = await webhook();
      const held = Promise.withResolvers<void>();
      let underWay = 0;
      let most = 0;
      receiver.answer = (response) => {
        underWay += 1;
        most = Math.max(most, underWay);
        response.on('close', () => {
          underWay -= 1;
        });
        void held.promise.then(() => response.writeHead(204).end());
      };
      await start();
      await append([move(assets[0] ?? 0)]);
      await receiver.got(1);
      await start();
      await bothHaveLooked();
      await make(id);
      await append([move(assets[0] ?? 0, yard)]);
      await bothHaveLooked();
      await bothHaveLooked();
      held.resolve();
      await reached(id, 2);
      expect([most, receiver.received.map(positionOf)]).to.deep.equal([1, [1, 1, 2]]);
    });
  }

  it('remembers across processes how often an event was tried, and when it is due', async () => {
    const { id } = await webhook();
    receiver.answer = (response) => response.writeHead(503, { 'retry-after': '3600' }).end();
    const one = await start();
    await append([move(assets[0] ?? 0)]);
    await until(async () => (await listed(id))?.nextAttemptAt != null);
    await one.stop();
    const [lane] = await database.rows<{ attempts: number; attempted_position: number; due: number }>(
      `select attempts::integer, attempted_position, extract(epoch from due_at - now())::float8 as due
       from webhook_lanes where webhook_id = $1 and attempts > 0`,
      [id],
    );
    expect(lane).to.include({ attempts: 1, attempted_position: 1 });
    expect(lane?.due).to.be.within(3_000, 3_600);
    await database.rows('update webhook_lanes set due_at = now() where webhook_id = $1 and attempts > 0', [
      id,
    ]);
    receiver.answer = (response) => response.writeHead(204).end();
    await start();
    await reached(id, 1);
    const tries = await database.rows(
      'select attempt::integer from webhook_attempts where webhook_id = $1 order by id',
      [id],
    );
    expect(tries).to.deep.equal([{ attempt: 1 }, { attempt: 2 }]);
  });

  it('switches off what answers 410', async () => {
    const { id } = await webhook();
    receiver.answer = (response) => response.writeHead(410).end();
    await start();
    await append([move(assets[0] ?? 0)]);
    await until(async () => (await listed(id))?.state === 'off');
    expect(await listed(id)).to.deep.include({ stateReason: 'gone', position: 0 });
    expect(receiver.received).to.have.length(1);
  });

  it('sends again from a position on', async () => {
    const { id } = await webhook();
    await start();
    await append(assets.map((asset) => move(asset)));
    await reached(id, 16);
    await replayWebhook(databaseOn(database.pool), TEST_ACTOR, { orgId: null, id }, 10);
    await receiver.got(22);
    await reached(id, 16);
    expect(
      receiver.received
        .slice(16)
        .map(positionOf)
        .sort((a, b) => a - b),
    ).to.deep.equal([11, 12, 13, 14, 15, 16]);
  });

  it('signs with both secrets while there are two, and with the new one after that', async () => {
    const { id, secret } = await webhook();
    const ref = { orgId: null, id };
    const db = databaseOn(database.pool);
    await start();
    const { secret: fresh } = await setWebhook(db, TEST_ACTOR, SETTINGS, ref, { rotatesSecret: true });
    const verifies = (by: string, { body, headers }: Received) => {
      try {
        return new Webhook(by).verify(body, headers as Record<string, string>) !== null;
      } catch {
        return false;
      }
    };
    const sent = async () => {
      const at = receiver.received.length;
      await append([move(assets[0] ?? 0)]);
      await receiver.got(at + 1);
      const one = receiver.received[at] as Received;
      return [verifies(secret, one), verifies(fresh ?? '', one)].join();
    };
    await until(async () => (await sent()) === 'true,true');
    await setWebhook(db, TEST_ACTOR, SETTINGS, ref, { dropsOldSecret: true });
    await until(async () => (await sent()) === 'false,true');
  });

  it('sends nothing more for what is deleted, switched off, or of an organization that is deleted', async () => {
    const other = await Site.create(database, 'Other');
    const asset = await other.asset('THING');
    const [deleted, off] = [
      await webhook({ url: `${receiver.url}deleted` }),
      await webhook({ url: `${receiver.url}off` }),
    ];
    const ended = await newWebhook(database, { orgId: other.orgId, url: `${receiver.url}ended` });
    const alive = await webhook({ url: `${receiver.url}alive` });
    const { deliverer } = await start();
    const db = databaseOn(database.pool);
    await until(() => deliverer.webhooks === 4);
    await deleteWebhook(db, TEST_ACTOR, { orgId: null, id: deleted.id });
    await setWebhook(db, TEST_ACTOR, SETTINGS, { orgId: null, id: off.id }, { state: 'off' });
    await deleteOrganization(db, TEST_ACTOR, ended.orgId);
    await until(() => deliverer.webhooks === 1);
    await append([move(assets[0] ?? 0)]);
    await appendMoves(database, other.orgId, [move(asset, dock)]);
    await reached(alive.id, 1);
    expect(receiver.received.map(({ path }) => path)).to.deep.equal(['/alive']);
  });

  it('pauses what would have to skip events that are no longer kept', async () => {
    const { id } = await webhook();
    await append(assets.map((asset) => move(asset)));
    await database.rows(`set tagtrail.retention = 'on'; delete from moves where org_id = ${site.orgId} and position <= 4;
      reset tagtrail.retention`);
    await database.rows('update move_heads set oldest = 5 where org_id = $1', [site.orgId]);
    await start();
    await until(async () => (await listed(id))?.state === 'paused');
    expect(await listed(id)).to.include({ stateReason: 'expired' });
    expect(receiver.received).to.deep.equal([]);
    await replayWebhook(databaseOn(database.pool), TEST_ACTOR, { orgId: null, id }, 4);
    await reached(id, 16);
    expect(receiver.received).to.have.length(12);
  });

  it('holds no connection of the database while a receiver takes its time', async () => {
    const { id } = await webhook();
    const held = Promise.withResolvers<void>();
    receiver.answer = (response) => void held.promise.then(() => response.writeHead(204).end());
    const one = await start();
    await append(assets.map((asset) => move(asset)));
    await until(() => one.deliverer.sending === 8);
    // A lease that is just being renewed is busy for an instant; a connection held for the receiver would stay so.
    await until(async () => {
      const busy = await database.rows(
        `select state from pg_stat_activity
         where application_name in ('test webhooks', 'test leases') and datname = current_database() and state <> 'idle'`,
      );
      return busy.length === 0;
    });
    expect(one.deliverer.sending).to.equal(8);
    held.resolve();
    await reached(id, 16);
  });

  it('keeps the last thousand attempts', async () => {
    const { id } = await webhook();
    await database.rows(
      `insert into webhook_attempts (org_id, webhook_id, at, event_id, attempt, status, milliseconds)
       select $1, $2, now(), 'earlier', 1, 204, 1 from generate_series(1, 1000)`,
      [site.orgId, id],
    );
    await start();
    await append(Array.from({ length: 300 }, (_, index) => move(assets[index % 16] ?? 0)));
    await reached(id, 300);
    await until(async () => {
      const [row] = await database.rows<{ count: number }>(
        'select count(*) from webhook_attempts where webhook_id = $1',
        [id],
      );
      return (row?.count ?? 0) <= 1_100;
    });
    const [row] = await database.rows<{ count: number }>(
      'select count(*) from webhook_attempts where webhook_id = $1',
      [id],
    );
    expect(row?.count).to.be.within(1_000, 1_100);
  });

  it('leaves a webhook whose secret it cannot read to others, and says so', async () => {
    const { id } = await webhook();
    const able = await webhook({ url: `${receiver.url}able` });
    await database.rows(`update webhook_secrets set key_id = 'other' where webhook_id = $1`, [id]);
    const { said } = await start();
    await until(() => said.some((line) => line.includes('signed')));
    expect(said.join()).to.include('cannot be signed');
    await append([move(assets[0] ?? 0)]);
    await reached(able.id, 1);
    expect(receiver.received.map(({ path }) => path)).to.deep.equal(['/able']);
    expect((await requireWebhook(database.pool, { orgId: null, id })).state).to.equal('on');
  });

  it('is shared by the processes there are, and taken over by those that are left', async () => {
    const all: number[] = [];
    for (let index = 0; index < 6; index++) {
      all.push((await webhook({ url: `${receiver.url}${index}` })).id);
    }
    const one = await start();
    await until(() => one.deliverer.webhooks === 6);
    const other = await start();
    await until(() => one.deliverer.webhooks === 3 && other.deliverer.webhooks === 3);
    await append(assets.map((asset) => move(asset)));
    await Promise.all(all.map((id) => reached(id, 16)));
    await one.stop();
    await until(() => other.deliverer.webhooks === 6);
    await append(assets.map((asset) => move(asset)));
    await Promise.all(all.map((id) => reached(id, 32)));
    expect(receiver.received).to.have.length(6 * 32);
    const told = receiver.received.map((each) => `${each.path} ${positionOf(each)}`);
    expect(new Set(told).size).to.equal(6 * 32);
  });

  it('gives a receiver that answers its turns, though many others never do', async () => {
    const silent = await startReceiver('127.0.0.9');
    silent.answer = () => {};
    for (let index = 0; index < 8; index++) {
      const slow = await Site.create(database, `Slow ${index}`);
      const things: number[] = [];
      for (let count = 0; count < 8; count++) {
        things.push(await slow.asset(`THING-${count}`));
      }
      for (let count = 0; count < 9; count++) {
        await newWebhook(database, { orgId: slow.orgId, url: silent.url });
      }
      await appendMoves(
        database,
        slow.orgId,
        things.map((thing) => move(thing)),
      );
    }
    const { deliverer } = await start({ answerWithin: 600_000 });
    // Of 576 lanes that have something to send, as many as may.
    await until(() => deliverer.sending >= 512);
    const { id } = await webhook({ after: 0 });
    await append(Array.from({ length: 160 }, (_, index) => move(assets[index % 16] ?? 0)));
    await reached(id, 160);
    const given = await database.rows(
      'select from webhook_attempts where status is null and position is not null',
    );
    expect(given, 'none of the others has been given up yet').to.deep.equal([]);
    await silent.close();
  });
});
