import { expect } from 'chai';
import { MICROS_PER_DAY } from '../../../base/instant.ts';
import { sweep } from '../../../db/timescale/schema/retention.ts';
import { useDatabase } from '../../support/database.ts';
import { STRENGTH, storeSettings } from '../../support/location-settings.ts';
import { aRead, record, storedHistory, storedPosition } from '../../support/recording.ts';
import { Site } from '../../support/site.ts';
import { untilWaiting } from '../../support/until-waiting.ts';

describe('retention', () => {
  const database = useDatabase();
  const now = Date.now() * 1_000;
  const daysAgo = (days: number) => now - days * MICROS_PER_DAY;

  it('drops raw scans past their time, and keeps transitions and positions', async () => {
    const site = await Site.create(database);
    const locations = [await site.location('A'), await site.location('B')];
    const readerId = await site.reader('portal', locations);
    const assetId = await site.asset('PALLET', 'E280');
    for (const [index, days] of [50, 45, 29].entries()) {
      const at = daysAgo(days);
      const locationId = locations[index % 2] ?? null;
      await record(database, [aRead({ orgId: site.orgId, readerId, value: 'E280', locationId, at })]);
    }
    const history = await storedHistory(database, assetId);
    const position = await storedPosition(database, assetId);
    expect(history).to.have.lengthOf(3);

    expect(await sweep(database.pool, 30)).to.deep.include({ isDone: true, scanEvents: 2 });

    const kept = await database.rows('select micros_of_time(observed_at) as at from scan_events');
    expect(kept).to.deep.equal([{ at: daysAgo(29) }]);
    expect(await storedHistory(database, assetId)).to.deep.equal(history);
    expect(await storedPosition(database, assetId)).to.deep.equal(position);

    // What was dropped is still known by its transition: the same place before it makes no new one.
    const late = aRead({
      orgId: site.orgId,
      readerId,
      value: 'E280',
      locationId: locations[1] ?? null,
      at: daysAgo(29.5),
    });
    await record(database, [{ ...late, receivedAt: now }], now);
    expect(await storedHistory(database, assetId)).to.deep.equal(history);
  });

  it('keeps nobody from recording while somebody reads what it drops', async () => {
    const site = await Site.create(database);
    const locationId = await site.location('A');
    const readerId = await site.reader('gate', [locationId]);
    await site.asset('PALLET', 'E281');
    const read = (at: number) => aRead({ orgId: site.orgId, readerId, value: 'E281', locationId, at });
    await record(database, [read(daysAgo(50))]);
    await storeSettings(database, site.orgId, [
      { locationId: null, validFrom: daysAgo(60), setting: STRENGTH },
    ]);
    const reading = await database.pool.connect();
    let sweeping: ReturnType<typeof sweep>;
    try {
      await reading.query('begin');
      await reading.query(`select from scan_events where observed_at < now() - interval '49 days'`);
      sweeping = sweep(database.pool, 30);
      const chunks = await database.rows(`select from pg_extension where extname = 'timescaledb'`);
      await (chunks.length === 0 ? sweeping : untilWaiting(database, 1));
      await record(database, [read(now)]);
    } finally {
      await reading.query('rollback');
      reading.release();
    }
    expect(await sweeping).to.deep.include({ isDone: true, scanEvents: 1 });
  });

  it('forgets messages received more than a day ago', async () => {
    const { orgId } = await Site.create(database);
    await database.rows(
      `insert into received_messages (org_id, digest, received_at)
       values ($1, 'old', now() - interval '25 hours'), ($1, 'new', now() - interval '23 hours')`,
      [orgId],
    );
    expect(await sweep(database.pool, 30)).to.include({ receivedMessages: 1 });
    expect(
      await database.rows(`select convert_from(digest, 'UTF8') as digest from received_messages`),
    ).to.deep.equal([{ digest: 'new' }]);
  });

  it('forgets what late reads proved of their readers, and when they were delayed, a month after it drops the reads', async () => {
    const site = await Site.create(database);
    const readerId = await site.reader('buffering', []);
    await database.rows(
      `insert into reader_proofs (org_id, reader_id, started_at, ended_at, learned_at)
       select $1, $2, now() - make_interval(days => since), now() - make_interval(days => until), now()
       from (values (71, 62), (62, 60)) as proof (since, until)`,
      [site.orgId, readerId],
    );
    await database.rows(
      `insert into reader_delays (org_id, reader_id, started_at, ended_at)
       select org_id, reader_id, started_at, ended_at from reader_proofs where reader_id = $1`,
      [readerId],
    );
    await sweep(database.pool, 30);
    for (const table of ['reader_proofs', 'reader_delays']) {
      expect(
        await database.rows(`select from ${table} where reader_id = $1`, [readerId]),
        table,
      ).to.have.lengthOf(1);
    }
  });

  it('forgets retractions that took nothing back, and keeps the others for good', async () => {
    const { orgId } = await Site.create(database);
    await database.rows(
      `insert into retractions (org_id, id, submission_id, indexes, actor_type, actor_id, received_at, taken_back, answer)
       select $1, id, id, '{0}', 'handheld', '1', now() - make_interval(days => age), taken_back, '{}'
       from (values ('waits', 29, 0), ('in vain', 31, 0), ('took back', 400, 1)) as given (id, age, taken_back)`,
      [orgId],
    );
    await sweep(database.pool, 30);
    expect(await database.rows('select id from retractions order by id')).to.deep.equal([
      { id: 'took back' },
      { id: 'waits' },
    ]);
  });

  it('forgets the answers of submissions as it does scans, and keeps newer ones', async () => {
    const { orgId } = await Site.create(database);
    await database.rows(
      `with handheld as (
         insert into handhelds (org_id, name, token_sha256) values ($1, 'gun', sha256('')) returning org_id, id
       )
       insert into submissions (org_id, id, handheld_id, body_sha256, received_at, answer)
       select org_id, days || ' days', id, sha256(''), now() - make_interval(days => days), '{}'
       from handheld cross join unnest(array[29, 31]) as days`,
      [orgId],
    );
    expect(await sweep(database.pool, 30)).to.include({ submissions: 1 });
    expect(await database.rows('select id from submissions')).to.deep.equal([{ id: '29 days' }]);
  });

  it('forgets files that were uploaded to be imported more than a week ago, with their bytes', async () => {
    const { orgId } = await Site.create(database);
    await database.rows(
      `with file as (
         insert into imports (org_id, resource, file_name, bytes, state, user_id, created_at)
         select $1, 'asset', state || ' ' || age, 1, state, 'user', now() - make_interval(days => age)
         from unnest(array['uploaded', 'checked', 'applied']) as state cross join unnest(array[6, 8]) as age
         returning org_id, id
       )
       insert into import_work (org_id, import_id, kind, seen_at)
       select org_id, id, 'checking', now() - interval '8 days' from file limit 1`,
      [orgId],
    );
    await database.rows(
      `insert into import_parts (org_id, import_id, part, content) select org_id, id, 0, 'x' from imports`,
    );
    await sweep(database.pool, 30);
    expect(
      await database.rows(
        `select file_name from imports join import_parts on import_id = id order by file_name`,
      ),
    ).to.deep.equal(['applied 6', 'checked 6', 'uploaded 6'].map((name) => ({ file_name: name })));
    expect(await database.rows('select from import_work')).to.deep.equal([]);
  });

  it('forgets the sessions of processes that are gone, and keeps those that processes have in common', async () => {
    await database.rows(
      `insert into broker_sessions (realm, client_id, is_divided, held_until)
       values ('r', 'gone', false, now() - interval '31 days'), ('r', 'away', false, now() - interval '29 days'),
         ('r', 'common', true, now() - interval '31 days')`,
    );
    await sweep(database.pool, 30);
    expect(await database.rows('select client_id from broker_sessions order by client_id')).to.deep.equal([
      { client_id: 'away' },
      { client_id: 'common' },
    ]);
  });

  it('is done by one process at a time', async () => {
    const results = await Promise.all([
      sweep(database.pool, 30),
      sweep(database.pool, 30),
      sweep(database.pool, 30),
    ]);
    expect(results.filter(({ isDone }) => isDone)).to.not.have.lengthOf(0);
    const other = await database.pool.connect();
    await other.query('begin; select pg_advisory_xact_lock(7461728)');
    expect(await sweep(database.pool, 30)).to.deep.include({ isDone: false });
    await other.query('rollback');
    other.release();
  });
});
