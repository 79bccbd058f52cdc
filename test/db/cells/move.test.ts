import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { pino } from 'pino';
import { prepare } from '../../../db/timescale/cells/arrive.ts';
import { type MoveHooks, withCells } from '../../../db/timescale/cells/cells.ts';
import { differing, ownedChecksums } from '../../../db/timescale/cells/checksums.ts';
import { beginApplying, catchUp, writtenUpTo } from '../../../db/timescale/cells/follow.ts';
import { giveUpMove, moveOrganization } from '../../../db/timescale/cells/move.ts';
import { movedTables } from '../../../db/timescale/cells/moved-tables.ts';
import { comparedSlotOf, createSlot } from '../../../db/timescale/cells/replication.ts';
import { rest } from '../../../db/timescale/cells/switch-over.ts';
import { databaseOn } from '../../../db/timescale/connections/database.ts';
import { createWritePool } from '../../../db/timescale/connections/pool.ts';
import { inTransaction } from '../../../db/timescale/connections/transaction.ts';
import { countRows } from '../../../db/timescale/erase/erase-rows.ts';
import { mergeHeardStretches } from '../../../db/timescale/schema/merge-heard-stretches.ts';
import { packReaderSpans } from '../../../db/timescale/schema/pack-reader-spans.ts';
import { sweep, sweepMoves } from '../../../db/timescale/schema/retention.ts';
import { createApiKey } from '../../../domain/administration/api-keys/issue-key.ts';
import { PUBLIC_SCOPES } from '../../../domain/administration/api-keys/scopes.ts';
import { credentialKey, noteUses } from '../../../domain/administration/credential-uses.ts';
import { createUser } from '../../../domain/administration/users/create-user.ts';
import { makeFirstLink } from '../../../domain/administration/users/links/make-link.ts';
import { AlertDeriver } from '../../../domain/alerts/deriving/take-turn.ts';
import { SilenceDeriver } from '../../../domain/presence/silence/deriver.ts';
import { endLostConnections } from '../../../domain/presence/store-connections.ts';
import { Lifecycle } from '../../../platform/runtime/lifecycle.ts';
import { writeLastUsed } from '../../../services/api/access/queries.ts';
import { startApi } from '../../../services/api/start.ts';
import { startEmbeddedIngest } from '../../../services/mqtt-ingest/ingest.ts';
import { TEST_ACTOR } from '../../support/actor.ts';
import { apiConfig } from '../../support/api.ts';
import type { TestDatabase } from '../../support/database.ts';
import { fillDatabase } from '../../support/filled-database.ts';
import { connected, connectReader, ingestConfig } from '../../support/ingest.ts';
import { itByNight } from '../../support/random-sets.ts';
import { Site } from '../../support/site.ts';
import { until } from '../../support/subscribed-ingest.ts';
import { useTwoCells } from '../../support/two-cells.ts';
import { watchArriving } from '../../support/watch-arriving.ts';

interface Cell {
  api: string;
  mqtt: number;
}

describe('moving an organization to another cell', () => {
  const cells = useTwoCells();
  const log = pino({ level: 'silent' });
  const lifecycle = new Lifecycle(log);
  const cellOf = new Map<number, Cell>();
  let org: number;
  let crate: number;
  let portal: number;
  let changesOfArriving: () => Promise<string[]>;
  let first: Cell;
  let second: Cell;
  let keys: { moving: string; staying: string };

  before(async () => {
    await fillDatabase(cells.first);
    const [filled] = await cells.first.rows<{ id: number }>('select id from organizations');
    org = filled?.id ?? 0;
    const [reader] = await cells.first.rows<{ id: number }>('select id from readers where org_id = $1', [
      org,
    ]);
    portal = reader?.id ?? 0;
    const neighbour = await Site.create(cells.first, 'Neighbour');
    await Site.create(cells.second, 'Of the other cell');
    crate = await Site.of(cells.first, org).asset('CRATE', 'C1');
    await createUser(databaseOn(cells.first.pool), TEST_ACTOR, {
      ...{ email: 'ann@example.com', name: 'Ann' },
      membership: { orgId: org, role: 'admin' },
    });
    keys = { moving: await keyOf(org), staying: await keyOf(neighbour.orgId) };
    changesOfArriving = await watchArriving(cells.second);
    first = await serve(cells.first);
    second = await serve(cells.second);
    cellOf.set(org, first).set(neighbour.orgId, first);
    cells.first.beforeDrop(() => lifecycle.stop());
  });

  const keyOf = async (orgId: number) => {
    const wanted = { orgId, name: 'key', scopes: PUBLIC_SCOPES, expiresAt: null };
    return (await createApiKey(databaseOn(cells.first.pool), TEST_ACTOR, wanted)).key;
  };
  const serve = async ({ url }: TestDatabase): Promise<Cell> => ({
    api: (await startApi(apiConfig(url), log, lifecycle)).url,
    mqtt: (await startEmbeddedIngest(ingestConfig(url), log, lifecycle)).port,
  });
  const move = (hooks: Partial<MoveHooks> = {}) =>
    moveOrganization(
      { ...ways(), hasBroker: false, leavesPublished: false },
      {
        ...{ signal: new AbortController().signal, onProgress: () => {}, onSwitched: async () => {} },
        ...{ logLeaving: async () => {}, logArrival: async () => {} },
        ...hooks,
      },
    );
  const ways = () => ({ from: cells.first.url, to: cells.second.url, orgId: org });
  /** As if it was killed there. */
  const stopAt = (point: string) => (what: string) => {
    if (what.startsWith(point)) {
      throw new Error('killed');
    }
  };
  const refusal = (hooks: Partial<MoveHooks> = {}): Promise<string> =>
    move(hooks).then(
      () => 'moved',
      (error: Error) => error.message,
    );
  const create = (cell: Cell, key: string, name: string) =>
    fetch(`${cell.api}/api/v1/assets`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ name }),
    });
  const remains = async () => {
    const slots = await cells.first.rows(
      'select slot_name from pg_replication_slots where database = current_database()',
    );
    const publications = await cells.first.rows('select pubname from pg_publication');
    return [...slots, ...publications];
  };

  it('has tables whose rows can be changed while they are published', async () => {
    const client = await cells.first.pool.connect();
    const tables = await movedTables(client);
    client.release();
    const full = await cells.first.rows<{ name: string }>(
      `select relname::text as name from pg_class where relreplident = 'f' and relnamespace = 'public'::regnamespace`,
    );
    const names = new Set(full.map(({ name }) => name));
    // PostgreSQL refuses every update of the others.
    const unchangeable = tables.filter(
      ({ name, key, owners }) => !names.has(name) && !owners.every((owner) => key?.includes(owner)),
    );
    expect(unchangeable.map(({ name }) => name)).to.deep.equal([]);
  });

  it('refuses what cannot go, and leaves nothing behind', async () => {
    const ann = { email: 'ann@example.com', name: 'Another account', membership: null };
    const { id } = await createUser(databaseOn(cells.second.pool), TEST_ACTOR, ann);
    expect(await refusal()).to.include('ann@example.com: people with another account at the other cell');
    await cells.second.rows('delete from users where id = $1', [id]);
    expect(await remains()).to.deep.equal([]);
    expect(await cells.first.rows('select * from cell_moves')).to.deep.equal([]);
  });

  it('gives up before the switch, and leaves nothing behind', async () => {
    expect(await refusal({ onProgress: stopAt('comparing') })).to.equal('killed');
    expect((await countRows(cells.second.pool, org)).some(({ rows }) => rows > 0)).to.equal(true);
    await withCells(ways(), prepare);
    await giveUpMove(ways());
    expect((await countRows(cells.second.pool, org)).filter(({ rows }) => rows > 0)).to.deep.equal([]);
    expect(await cells.second.rows('select from users')).to.deep.equal([]);
    expect(await cells.first.rows('select * from cell_moves')).to.deep.equal([]);
    expect(await remains()).to.deep.equal([]);
    expect((await create(first, keys.moving, 'still here')).status).to.equal(201);
  });

  it('follows what is committed and not on disk yet', async () => {
    await refusal({ onProgress: stopAt('comparing') });
    const client = await cells.first.pool.connect();
    await client.query('begin');
    await client.query('set local synchronous_commit = off');
    await client.query(`update assets set description = 'just now' where org_id = $1 and id = $2`, [
      org,
      crate,
    ]);
    await client.query('commit');
    client.release();
    await withCells(ways(), async (both) => catchUp(both, await writtenUpTo(both.from)));
    const crates = await cells.second.rows('select description from assets where org_id = $1 and id = $2', [
      org,
      crate,
    ]);
    expect(crates).to.deep.equal([{ description: 'just now' }]);
  });

  it('goes on although the server has not noticed that a run was killed which compared', async () => {
    const { slot } = await withCells(ways(), async (both) => both);
    const left = await createSlot(cells.first.url, comparedSlotOf(slot), {
      ...{ signal: new AbortController().signal, isTemporary: true },
    });
    expect(await refusal({ onProgress: stopAt('switching') })).to.equal('killed');
    await left.close();
  });

  itByNight(
    'compares with what can be seen of all that was applied, though a commit waits for a standby',
    async () => {
      const server = createWritePool(cells.serverUrl, { max: 1 });
      const setStandbys = async (names: string) => {
        await server.query(`alter system set synchronous_standby_names = '${names}'`);
        await server.query('select pg_reload_conf()');
      };
      const [writer, left] = [await cells.first.pool.connect(), await cells.first.pool.connect()];
      let commits = 0;
      const commit = () => {
        commits += 1;
        return writer.query('update assets set description = $3 where org_id = $1 and id = $2', [
          ...[org, crate, `commit ${commits}`],
        ]);
      };
      const waits = async () => {
        const waiting = await server.query(`select from pg_stat_activity where wait_event = 'SyncRep'`);
        return waiting.rowCount === 1;
      };
      const applied = async () => {
        const crates = await cells.second.rows('select from assets where org_id = $1 and description = $2', [
          ...[org, `commit ${commits}`],
        ]);
        return crates.length === 1;
      };
      try {
        await withCells(ways(), async (both) => {
          await both.from.query('set synchronous_commit = local');
          await both.to.query('set synchronous_commit = local');
          await setStandbys('nobody');
          let committing = commit();
          // The server takes its time to wait for somebody.
          for (let isWaiting = false; !isWaiting; ) {
            const isDone = await Promise.race([committing.then(() => true), pause(5).then(() => false)]);
            committing = isDone ? commit() : committing;
            isWaiting = await waits();
          }
          let looks = 0;
          const compared = rest(both, left, [], () => looks++).finally(() => {
            looks = Number.POSITIVE_INFINITY;
          });
          await until(async () => looks > 2 && (await applied()));
          await setStandbys('');
          await committing;
          await compared;
          const here = await ownedChecksums(left, both.tables, org);
          expect(differing(here, await ownedChecksums(both.to, both.tables, org))).to.deep.equal([]);
        });
      } finally {
        await setStandbys('');
        writer.release(true);
        left.release(true);
        await server.end();
      }
    },
  );

  it('lets go when it is interrupted while the organization is held', async () => {
    const interruption = new AbortController();
    const onProgress = (what: string) => what === 'switching' && interruption.abort();
    expect(await refusal({ signal: interruption.signal, onProgress })).to.include('Interrupted; run this');
    const held = await cells.first.rows('select from organizations where held_at is not null');
    expect(held).to.deep.equal([]);
    expect(await cells.first.rows('select state from cell_moves')).to.deep.equal([{ state: 'following' }]);
  });

  it('does not bring back an organization that was deleted meanwhile', async () => {
    await cells.first.rows('update organizations set deleted_at = now() where id = $1', [org]);
    expect(await refusal()).to.include(`Organization ${org} was deleted while it moved`);
    const deleted = await cells.first.rows(
      'select id, held_at from organizations where deleted_at is not null',
    );
    expect(deleted).to.deep.equal([{ id: org, held_at: null }]);
    await giveUpMove(ways());
    await cells.first.rows('update organizations set deleted_at = null where id = $1', [org]);
  });

  it('arrives without anybody changing what is there already', async () => {
    expect(await refusal({ onProgress: stopAt('comparing') })).to.equal('killed');
    await withCells(ways(), async ({ to, tables }) => {
      await beginApplying(to);
      await to.query(
        `insert into alert_floods (org_id, rule_ids, since, until)
         values (${org}, '{}', now() - interval '2 hours', now() - interval '1 hour')`,
      );
      await to.query(
        `insert into alert_revisions (org_id, subject, subject_id, since) values (${org}, 'asset', ${crate}, now())`,
      );
      await to.query(
        `insert into alert_cursors (org_id, position) values (${org}, 0) on conflict do nothing`,
      );
      await to.query(
        `insert into silence_revisions (org_id, reader_id, since) select org_id, id, now() from readers
         where org_id = ${org} on conflict do nothing`,
      );
      await to.query(
        `insert into reader_connections (org_id, reader_id, connected_at) select org_id, id, now() from readers
         where org_id = ${org} on conflict do nothing`,
      );
      await to.query('commit');
      const before = await ownedChecksums(to, tables, org);
      const there = cells.second.pool;
      await inTransaction(there, async (db) => {
        const deriver = new AlertDeriver();
        await deriver.derive(db, await deriver.begin(db, 0));
      });
      await inTransaction(there, (db) => new SilenceDeriver().turn(db, 0));
      await endLostConnections(there);
      await noteUses(databaseOn(there), 'readers', [{ id: credentialKey(org, portal), secondsAgo: 0 }]);
      await writeLastUsed(databaseOn(there), [{ id: keys.moving.split('_')[1] ?? '', secondsAgo: 0 }]);
      expect(await sweep(there, 1)).to.include({ isDone: false });
      expect(differing(before, await ownedChecksums(to, tables, org))).to.deep.equal([]);
    });
    expect(await changesOfArriving()).to.deep.equal([]);
    await giveUpMove(ways());
  });

  it('waits for as long as it has to, without anybody sweeping what is there already', async () => {
    expect(await refusal({ onProgress: stopAt('comparing') })).to.equal('killed');
    const before = await withCells(ways(), async ({ to, tables }) => {
      await beginApplying(to);
      for (const text of [
        `update received_messages set received_at = received_at - interval '40 days' where org_id = ${org}`,
        `update move_days set day = day - 40 where org_id = ${org}`,
        `insert into submissions (org_id, id, handheld_id, body_sha256, received_at, answer)
         select org_id, 'old', id, sha256(''), now() - interval '40 days', '{}' from handhelds where org_id = ${org}`,
        `insert into user_links (digest, purpose, org_id, role, email, expires_at)
         values (sha256(''), 'invite', ${org}, 'viewer', 'bob@example.com', now() - interval '2 days')`,
        'commit',
      ]) {
        await to.query(text);
      }
      return ownedChecksums(to, tables, org);
    });
    const { pool } = cells.second;
    const [other] = await cells.second.rows<{ id: number }>('select id from organizations');
    expect(await sweep(pool, 1)).to.include({ isDone: true });
    await mergeHeardStretches(pool);
    await packReaderSpans(pool);
    await sweepMoves(pool, 1);
    await makeFirstLink(databaseOn(pool), TEST_ACTOR, other?.id ?? 0);
    const after = await withCells(ways(), ({ to, tables }) => ownedChecksums(to, tables, org));
    expect(differing(before, after)).to.deep.equal([]);
    expect(await changesOfArriving()).to.deep.equal([]);
    await giveUpMove(ways());
  });

  it('takes everything along under load, wherever it is interrupted, and loses and doubles nothing', async () => {
    let isOpen = true;
    let isGivenUp = false;
    const answers = new Map<string, number>();
    const created: number[] = [];
    const write = async (orgId: number, key: string, kept: number[] | null) => {
      while (isOpen) {
        const answer = await create(cellOf.get(orgId) ?? first, key, 'new');
        const { data } = (await answer.json()) as { data?: { id: number } };
        const said = `${kept === null ? 'staying' : 'moving'} ${answer.status} ${answer.headers.get('retry-after')}`;
        answers.set(said, (answers.get(said) ?? 0) + 1);
        if (data !== undefined) {
          kept?.push(data.id);
        }
        await pause(20);
      }
    };
    const read: string[] = [];
    const publish = async () => {
      const began = Date.now() - 3_600_000;
      let client: ReturnType<typeof connectReader> | null = null;
      let gone: Promise<never> | null = null;
      while (isOpen) {
        const at = new Date(began + read.length).toISOString();
        const payload = JSON.stringify([{ value: 'C1', antenna: 1 + (read.length % 2), observed_at: at }]);
        for (let isAcknowledged = false; !isGivenUp && !isAcknowledged; ) {
          try {
            if (client === null) {
              client = connectReader(cellOf.get(org)?.mqtt ?? 0, 'portal');
              client.on('error', () => {});
              await connected(client);
              const { promise, reject } = Promise.withResolvers<never>();
              client.once('close', () => reject(new Error('gone')));
              gone = promise;
              gone.catch(() => {});
            }
            await Promise.race([client.publishAsync('portal', payload, { qos: 1 }), gone]);
            isAcknowledged = true;
            read.push(at);
          } catch {
            await client?.endAsync(true);
            client = null;
            await pause(20);
          }
        }
        await pause(20);
      }
      await client?.endAsync();
    };
    const [neighbour = 0] = [...cellOf.keys()].filter((id) => id !== org);
    const load = [write(org, keys.moving, created), write(neighbour, keys.staying, null), publish()];
    try {
      for (const point of ['following', 'comparing']) {
        expect(await refusal({ onProgress: stopAt(point) })).to.equal('killed');
      }
      // As it is after a kill while the organization is held.
      await cells.first.rows(`update organizations set deleted_at = now(), held_at = now() where id = $1`, [
        org,
      ]);
      await cells.first.rows(`update cell_moves set state = 'held'`);
      let switched = 'not yet';
      // On a busy machine it may let go once more.
      for (let isSwitched = false; !isSwitched; ) {
        switched = await refusal({
          onSwitched: async () => {
            isSwitched = true;
            cellOf.set(org, second);
            throw new Error('killed');
          },
        });
        expect(switched).to.match(/^(killed|Changes kept coming|Another transaction)/);
      }
      expect(switched).to.equal('killed');
      await giveUpMove(ways()).then(
        () => expect.fail('gave up what had moved'),
        (error: Error) => expect(error.message).to.include('has moved'),
      );
      // It is in use there before it is completed.
      const signedIn = () =>
        cells.second.rows('select reader_id from reader_connections where org_id = $1', [org]);
      await until(async () => (await signedIn()).length > 0);
      expect((await move()).heldMs).to.equal(null);
      expect(await signedIn()).to.have.lengthOf(1);
      const people = await cells.second.rows('select email from users');
      expect(people).to.deep.equal([{ email: 'ann@example.com' }]);
      const [before = 0] = [created.length, read.length];
      while (created.length < before + 5) {
        await pause(5);
      }
      isOpen = false;
      await Promise.all(load);
    } finally {
      isOpen = false;
      isGivenUp = true;
      await Promise.allSettled(load);
    }
    expect(await refusal()).to.include('has moved to');
    expect([...answers.keys()].filter((said) => !/^moving 503 [15]$/.test(said)).sort()).to.deep.equal([
      'moving 201 null',
      'staying 201 null',
    ]);
    const assets = await cells.second.rows<{ id: number }>('select id from assets where org_id = $1', [org]);
    expect(assets.map(({ id }) => id)).to.include.members(created);
    const scans = await cells.second.rows<{ at: string }>(
      `select to_char(observed_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at from scan_events
       where org_id = $1 and asset_id = $2 order by observed_at`,
      [org, crate],
    );
    expect(scans.map(({ at }) => at)).to.deep.equal(read);
    expect(await remains()).to.deep.equal([]);
    expect(await changesOfArriving()).to.deep.equal([]);
  });
});
