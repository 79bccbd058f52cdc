import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { pino } from 'pino';
import { retain } from '../../services/worker/jobs/retain.ts';
import { runJob } from '../../services/worker/run-job.ts';
import { useDatabase } from '../support/database.ts';
import { sealedDaysAgo } from '../support/sealed-days-ago.ts';
import { Site } from '../support/site.ts';

const WAITING = `select 1 from pg_stat_activity
  where datname = current_database() and application_name = 'tagtrail retention' and wait_event_type = 'Lock'`;

const DAYS = {
  SCAN_RETENTION_DAYS: 90,
  MOVES_RETENTION_DAYS: 90,
  READINGS_RETENTION_DAYS: 90,
  ADDRESS_RETENTION_DAYS: 90,
};

describe('retention', () => {
  const database = useDatabase();
  const log = pino({ level: 'silent' });

  /** Fails rather than looking for good. */
  async function until(isSo: () => Promise<boolean>): Promise<void> {
    for (let looks = 0; !(await isSo()); looks++) {
      expect(looks, 'looks').to.be.below(1_000);
      await pause(20);
    }
  }

  it('drops what each of its settings says as soon as a process starts', async () => {
    const site = await Site.create(database);
    const assetId = await site.asset('PALLET');
    await sealedDaysAgo(database, { orgId: site.orgId, assetId }, 300, 1);
    await database.rows(
      `insert into scan_events (org_id, asset_id, location_id, observed_at, received_at, time_is_received, tag_type,
         tag_value, reader_id, antenna)
       values ($1, $2, 1, now() - interval '300 days', now() - interval '300 days', false, 'rfid', 'E280', 1, 1)`,
      [site.orgId, assetId],
    );
    await database.rows(
      `insert into changes (org_id, at, actor_type, actor_id, action, resource_type, resource_id, after)
       values ($1, now() - interval '300 days', 'user', '7', 'sign_in', 'session', '1', '{"address":"203.0.113.77"}')`,
      [site.orgId],
    );
    const left = async () => {
      const [row] = await database.rows<{ count: number }>(
        `select ((select count(*) from scan_events) + (select count(*) from moves)
           + (select count(*) from changes where after ->> 'address' is not null))::integer as count`,
      );
      return row?.count;
    };
    expect(await left()).to.equal(3);
    const running = runJob(retain(DAYS, { log }), { url: database.url, log });
    await until(async () => (await left()) === 0).finally(() => running.stop());
  });

  it('ends at once when the process stops, though it waits for a lock', async () => {
    const blocker = await database.pool.connect();
    await blocker.query('begin; lock table scan_events in access exclusive mode');
    const running = runJob(retain(DAYS, { log }), { url: database.url, log });
    await until(async () => (await database.rows(WAITING)).length > 0).finally(() => running.stop());
    // The lock is still held, so nothing but that has ended it.
    await blocker.query('rollback');
    blocker.release();
    expect(await database.rows(WAITING)).to.deep.equal([]);
  });

  it('goes on though the times in which one reader was heard cannot be merged', async () => {
    const site = await Site.create(database);
    const dock = await site.location('DOCK');
    const [broken, other] = [await site.reader('broken', [dock]), await site.reader('other', [dock])];
    const assetId = await site.asset('CRATE');
    await sealedDaysAgo(database, { orgId: site.orgId, assetId }, 300, 1);
    await database.rows(
      `insert into reader_counters (org_id, reader_id) values ($1, $2), ($1, $3) on conflict do nothing`,
      [site.orgId, broken, other],
    );
    await database.rows(
      `insert into reader_spans (org_id, reader_id, state, started_at, ended_at, messages)
       select $1, reader_id, 'up', at, at, 1
       from unnest(array[$2, $3]::integer[]) reader_id,
         generate_series(now() - interval '10 days', now() - interval '9 days', interval '20 seconds') at`,
      [site.orgId, broken, other],
    );
    await database.rows(
      `create function refuse() returns trigger language plpgsql as $$ begin raise 'no'; end $$`,
    );
    await database.rows(
      `create trigger refuse before delete on reader_spans for each row when (old.reader_id = ${broken}) execute function refuse()`,
    );
    const left = async () => {
      const [row] = await database.rows(
        `select (select count(*) from reader_spans where reader_id = $2)::integer as spans,
           (select count(*) from moves where org_id = $1)::integer as moves`,
        [site.orgId, other],
      );
      return row;
    };
    expect(await left()).to.deep.equal({ spans: 4_321, moves: 1 });
    await retain(DAYS, { log }).begin(database.pool).turn();
    expect(await left()).to.deep.equal({ spans: 1, moves: 0 });
    await database.rows('drop function refuse cascade');
  });

  it('tries every step though the disk is full for two, says why, and rests before it tries again', async () => {
    const site = await Site.create(database);
    const assetId = await site.asset('DRUM');
    await sealedDaysAgo(database, { orgId: site.orgId, assetId }, 300, 1);
    await database.rows(
      `insert into changes (org_id, at, actor_type, actor_id, action, resource_type, resource_id, after)
       values ($1, now() - interval '300 days', 'user', '7', 'sign_in', 'session', '2', '{"address":"203.0.113.78"}')`,
      [site.orgId],
    );
    await database.rows(
      `create function refuse() returns trigger language plpgsql as $$ begin raise '% are full', tg_table_name using errcode = '53100'; end $$`,
    );
    await database.rows(
      'create trigger refuse before update on changes for each row execute function refuse()',
    );
    await database.rows('create trigger refuse before delete on received_messages execute function refuse()');
    const said: unknown[] = [];
    const warn = ({ err }: { err?: Error }) => said.push(err?.message);
    const retaining = runJob(retain(DAYS, { log }), { url: database.url, log: { info: () => {}, warn } });
    const turn = () => Promise.reject(new Error('no'));
    const other = { name: 'test', lock: null, session: { name: 'test' }, wokenBy: [], rest: 0 };
    try {
      await until(async () => retaining.figures.failures > 0);
      const [row] = await database.rows('select count(*)::integer from moves where org_id = $1', [
        site.orgId,
      ]);
      expect(row).to.deep.equal({ count: 0 });
      expect(said).to.deep.equal(['received_messages are full; changes are full']);
      const failing = runJob({ ...other, begin: () => ({ turn }) }, { url: database.url, log });
      await until(async () => failing.figures.failures > 2).finally(() => failing.stop());
      expect(retaining.figures).to.include({ failures: 1, isFailing: true });
    } finally {
      await retaining.stop();
      await database.rows('drop function refuse cascade');
    }
  });
});
