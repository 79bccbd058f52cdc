import { expect } from 'chai';
import pg from 'pg';
import { connectionConfig } from '../../db/timescale/connections/connection.ts';
import { databaseOn } from '../../db/timescale/connections/database.ts';
import { withDatabase } from '../../db/timescale/connections/database-url.ts';
import { createWritePool } from '../../db/timescale/connections/pool.ts';
import { AlertTurns } from '../../domain/alerts/deriving/take-turn.ts';
import { createRule } from '../../domain/alerts/rules/create-rule.ts';
import { TEST_ACTOR } from '../support/actor.ts';
import { useApi } from '../support/api.ts';
import { commandLineOn } from '../support/command-line.ts';
import { serverUrl, useDatabase } from '../support/database.ts';
import { freePort } from '../support/free-port.ts';
import { run } from '../support/process.ts';
import { aRead, record } from '../support/recording.ts';
import { sealAll } from '../support/seal-all.ts';
import { Site } from '../support/site.ts';

describe('the command line on whole databases', () => {
  const source = useDatabase();
  const used = useApi();
  const { json, fails, tagtrail } = commandLineOn(() => source);
  const targets: string[] = [];
  after(async () => {
    const server = new pg.Client(connectionConfig(serverUrl()));
    await server.connect();
    for (const name of targets) {
      await server.query(`drop database if exists ${name} with (force)`);
    }
    await server.end();
  });
  function target(): string {
    const name = `copy_${process.pid}_${targets.length}`;
    targets.push(name);
    return withDatabase(serverUrl(), name);
  }

  async function tellMoves(orgId: number, assetId: number, count: number): Promise<void> {
    await source.rows(
      `insert into unsealed_moves (org_id, asset_id, kind, recorded_at, duration_seconds, rows)
       select $1, $2, 'corrected', now(), n, '{"added" : [[1777629600000000, 1, null]]}'
       from generate_series(1, $3::integer) n`,
      [orgId, assetId, count],
    );
  }

  before(async () => {
    const site = await Site.create(source, 'Acme "quoted", ü');
    const dock = await site.location('DOCK-1');
    const shelf = await site.location('SHELF-1', dock);
    const asset = await site.asset('PALLET-1', 'E280');
    const reader = await site.reader('Dock', [dock, shelf]);
    await source.rows(
      `update assets set metadata = '{ "b": 1.50, "a": 12345678901234567890, "t": "line\\nü" }',
         description = E'tab\\there', valid_from = '0001-01-01 BC', valid_to = '2026-05-01 10:00:00.123456+00' where id = $1`,
      [asset],
    );
    await source.rows(
      `insert into scan_events (org_id, asset_id, location_id, observed_at, received_at, time_is_received, tag_type,
         tag_value, rssi, reader_id, antenna)
       select $1, $2, $3, timestamptz '2026-05-01' + n * interval '1.000001 hours', now(), false, 'rfid', 'E280',
         -54.1 - n / 3.0, $4, 1
       from generate_series(1, 5000) n`,
      [site.orgId, asset, dock, reader],
    );
    await source.rows(
      `insert into location_transitions select $1, $2, timestamptz '2026-05-01' + n * interval '1 day', $3, n
       from generate_series(1, 100) n`,
      [site.orgId, asset, shelf],
    );
    await source.rows(`insert into positions values ($1, $2, $3, now(), now())`, [site.orgId, asset, dock]);
    await source.rows(
      `insert into rejected_messages (org_id, reader_id, topic, reason, received_at, payload, bytes, payload_sha256)
       values ($1, $2, 't', 'no JSON', now(), $3, 4, sha256($3))`,
      [site.orgId, reader, Buffer.from([0, 255, 10, 92])],
    );
    await source.rows('delete from tags where asset_id = $1', [asset]);
    await tellMoves(site.orgId, asset, 3);
    await sealAll(source.url);
    await tellMoves(site.orgId, asset, 2);
    await site.tag({ assetId: asset }, 'E281');
  });

  it('copies every table to a new database, and both say that they hold the same', async () => {
    const url = target();
    const { copied } = await json('database', 'copy', '--to', url, '--while-running');
    const before = await json('database', 'checksums');
    expect(copied).to.deep.equal(before);
    expect(await commandLineOn(() => ({ url })).json('database', 'checksums')).to.deep.equal(before);
    const rowsOf = (name: string) => before.find(({ table }: { table: string }) => table === name)?.rows;
    expect([rowsOf('scan_events'), rowsOf('location_transitions'), rowsOf('assets')]).to.deep.equal([
      5000, 100, 1,
    ]);

    // What is numbered anew goes on where the source stopped.
    const pool = createWritePool(url, { max: 1 });
    const copy = {
      ...source,
      pool,
      rows: async (sql: string, values: unknown[] = []) => (await pool.query(sql, values)).rows,
    };
    const site = await Site.create(copy as typeof source, 'After');
    const [last] = await source.rows<{ id: number }>('select max(id) as id from organizations');
    expect(site.orgId).to.equal((last?.id ?? 0) + 1);
    const [tag] = await copy.rows(
      'insert into tags (org_id, tag_type, value, tag_key, asset_id) select org_id, $1, $2, $2, id from assets returning id',
      ['rfid', 'E999'],
    );
    expect(tag?.['id']).to.equal(3);
    await pool.end();
  });

  it('copies the move feed with what waits to be sealed, which goes on in the copy where it stopped', async () => {
    const url = target();
    await json('database', 'copy', '--to', url, '--while-running');
    expect(await sealAll(url)).to.equal(2);
    const pool = createWritePool(url, { max: 1 });
    const { rows } = await pool.query<{ position: number; id: number }>(
      'select position, duration_seconds as number from moves order by position',
    );
    expect(rows).to.deep.equal([1, 2, 3, 1, 2].map((number, index) => ({ position: index + 1, number })));
    // The next is drawn after all that were copied, as what is sealed next has to be.
    const { rows: drawn } = await pool.query(`select nextval('unsealed_moves_id_seq') as id`);
    expect(drawn).to.deep.equal([{ id: 6 }]);
    await pool.end();
  });

  it('notices one digit', async () => {
    const sums = async () => JSON.stringify(await json('database', 'checksums'));
    const before = await sums();
    await source.rows(
      `update scan_events set rssi = rssi + 0.000001 where observed_at = (select max(observed_at) from scan_events)`,
    );
    expect(await sums()).to.not.equal(before);
  });

  it('takes the password of the target from the environment, where no other user reads it', async () => {
    const url = new URL(target());
    const { password } = url;
    url.password = '';
    const copying = ['database', 'copy', '--to', url.href, '--while-running'];
    // Processes of their own, since the client of PostgreSQL reads it from its process's environment.
    const copy = (PGPASSWORD: string) =>
      run('services/cli/tagtrail.ts', copying, { DATABASE_URL: source.url, PGPASSWORD });
    const copied = copy(decodeURIComponent(password));
    expect(await copied.ended, copied.stderr()).to.equal(0);
    expect(copied.stdout()).to.include('Everything is copied');
    const refused = copy(`${password}x`);
    expect(await refused.ended).to.equal(1);
    expect(refused.stderr()).to.include('password');
  });

  it('refuses a target that has data, and one that is no address', async () => {
    const url = target();
    await json('database', 'copy', '--to', url, '--while-running');
    await fails(1, 'name an empty one', 'database', 'copy', '--to', url, '--while-running');
    await fails(2, '--to is an address', 'database', 'copy', '--to', 'there');
    const nobody = `postgres://tagtrail@127.0.0.1:${await freePort()}/copy`;
    const { status, stderr } = await tagtrail('database', 'copy', '--to', nobody);
    expect({ status, lines: stderr.trimEnd().split('\n').length }).to.deep.equal({ status: 1, lines: 1 });
    expect(stderr).to.include('--to (127.0.0.1').and.include('correct the host and port in --to');
  });

  it('refuses a source that is in use', async () => {
    const copy = commandLineOn(() => used.database);
    await copy.fails(1, 'The database is in use (tagtrail', 'database', 'copy', '--to', target());
    await copy.fails(1, '--while-running', 'database', 'copy', '--to', target());
  });

  it('shows people a table', async () => {
    const { stdout } = await tagtrail('database', 'checksums');
    expect(stdout)
      .to.match(/^table +rows +checksum\n/)
      .and.match(/\nscan_events +5000 +-?\d+\n/);
  });

  it('copies rules and alerts, which are derived on in the copy, and told once', async () => {
    const site = await Site.create(source, 'Watched');
    const { orgId } = site;
    const [dock, yard] = [await site.location('DOCK'), await site.location('YARD')];
    const readerId = await site.reader('portal', [dock, yard]);
    await site.asset('PALLET', 'E280');
    const since = Date.now() * 1_000 - 3_600_000_000;
    const read = (locationId: number, second: number) => {
      const at = since + second * 1_000_000;
      return record(source, [aRead({ orgId, readerId, value: 'E280', locationId, at })]);
    };
    await createRule(databaseOn(source.pool), TEST_ACTOR, Date.now() * 1_000, {
      ...{ orgId, kind: 'not_allowed', locationExternalKey: 'YARD', validFrom: since },
    });
    await read(yard, 10);
    await sealAll(source.url);
    const turns = new AlertTurns(source.pool);
    while ((await turns.take()) === 'behind') {}
    await read(dock, 20);

    const url = target();
    await json('database', 'copy', '--to', url, '--while-running');
    const pool = createWritePool(url, { max: 2 });
    await pool.query(`update alert_derivation set derived_at = '-infinity'`);
    const others = new AlertTurns(pool);
    await sealAll(url);
    while ((await others.take()) === 'behind') {}
    await sealAll(url);
    const { rows } = await pool.query(
      `select kind, rows -> 'alert' -> 0 ->> 'id' as id from moves where org_id = $1 and asset_id is null
       order by position`,
      [orgId],
    );
    const { rows: alerts } = await pool.query(`select id, state from alerts`);
    expect(alerts).to.deep.equal([{ id: alerts[0]?.id, state: 'closed' }]);
    expect(rows).to.deep.equal(['alert_opened', 'alert_closed'].map((kind) => ({ kind, id: alerts[0]?.id })));
    await pool.end();
  });
});
