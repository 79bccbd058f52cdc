import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { databaseOn } from '../../db/timescale/connections/database.ts';
import { countRows } from '../../db/timescale/erase/erase-rows.ts';
import { NOT_IMPORTED } from '../../db/timescale/erase/import-rows.ts';
import { importOrganization } from '../../domain/administration/organization-import/import-organization.ts';
import { eraseOrganization } from '../../domain/administration/organizations/erase-organization.ts';
import {
  createOrganization,
  deleteOrganization,
} from '../../domain/administration/organizations/organizations.ts';
import { createUser } from '../../domain/administration/users/create-user.ts';
import { AlertTurns } from '../../domain/alerts/deriving/take-turn.ts';
import { openExported } from '../../services/cli/files/exported-folder.ts';
import { TEST_ACTOR } from '../support/actor.ts';
import { commandLineOn } from '../support/command-line.ts';
import { type TestDatabase, useDatabase } from '../support/database.ts';
import { fillDatabase } from '../support/filled-database.ts';
import { openIntake } from '../support/intake.ts';
import { Site } from '../support/site.ts';

const NAME = 'Acme "quoted", ü';

/** What an import changes on purpose, and what is derived again. */
const CHANGED = ['api_keys', 'changes', 'handhelds', 'webhooks'];
const DERIVED = ['live_row_counts', 'reader_joined_spans', 'silence_revisions', 'alert_revisions'];

const wireTime = (minutesAgo: number) => new Date(Date.now() - minutesAgo * 60_000).toISOString();

describe('importing an organization', () => {
  const database = useDatabase();
  const elsewhere = useDatabase();
  const here = commandLineOn(() => database);
  const there = commandLineOn(() => elsewhere);
  const folder = mkdtempSync(join(tmpdir(), 'tagtrail-import-'));
  after(() => rmSync(folder, { recursive: true }));
  const exported = join(folder, 'exported');
  let org: number;

  before(async () => {
    await fillDatabase(database);
    const [filled] = await database.rows<{ id: number }>('select id from organizations');
    org = filled?.id ?? 0;
    const site = Site.of(database, org);
    // Characters that end a line for some programs.
    await site.location('SHELF-2', await site.location('RACK'));
    await database.rows(`update locations set name = 'Rack \u2028 1' where external_key = 'RACK'`);
    const db = databaseOn(database.pool);
    await here.json('locate', 'set', '--org', String(org), '--location', 'RACK', '--by', 'strength');
    await here.json('key', 'create', '--org', String(org), '--name', 'erp', '--scopes', 'assets:read');
    for (const name of ['ann', 'bob']) {
      const user = { email: `${name}@example.com`, name, membership: { orgId: org, role: 'admin' as const } };
      await createUser(db, TEST_ACTOR, user);
    }
    await database.rows(
      `insert into webhooks (org_id, name, url) values ($1, 'erp', 'https://example.com/hook')`,
      [org],
    );
    await here.json(
      'rule',
      'add',
      '--org',
      String(org),
      '--kind',
      'reader',
      '--after',
      '10m',
      '--mail',
      'ann@example.com',
    );
    const since = ['--org', String(org), '--valid-from', wireTime(60)];
    await site.asset('SENSOR', 'E282');
    await here.json(
      'rule',
      'add',
      ...since,
      '--kind',
      'reading',
      '--reading',
      'temperature_c',
      '--above',
      '8',
    );
    await here.json(
      'rule',
      'add',
      ...since,
      '--kind',
      'battery_low',
      '--reading',
      'battery_percent',
      '--below',
      '20',
    );
    await measure(database, 10, { temperature_c: 9, battery_percent: 5 });
    expect(await openAlerts(database)).to.deep.equal(['battery_low', 'reading']);
    await here.json('org', 'export', '--org', String(org), '--folder', exported);
  });

  const measure = async (on: TestDatabase, minutesAgo: number, values: object) => {
    const read = { value: 'E282', antenna: 2, observed_at: wireTime(minutesAgo), ...values };
    await (await openIntake(on)).receive('portal', JSON.stringify(read));
    const turns = new AlertTurns(on.pool);
    while ((await turns.take()) === 'behind') {}
  };
  const openAlerts = async (of: TestDatabase) =>
    (await of.rows(`select kind from alerts where state = 'open' order by kind`)).map(({ kind }) => kind);

  const linesOf = (of: string, table: string) =>
    readFileSync(join(of, `${table}.jsonl`), 'utf8')
      .split('\n')
      .slice(0, -1)
      .toSorted();
  const rowsOf = async (of: TestDatabase, id: number) =>
    Object.fromEntries((await countRows(of.pool, id)).map(({ name, rows }) => [name, rows]));

  it('restores what was erased, row by row with its ids, and revokes what lets somebody in', async () => {
    const before = await rowsOf(database, org);
    await deleteOrganization(databaseOn(database.pool), TEST_ACTOR, org);
    const erasure = { orgId: org, name: NAME, leavesPublished: true };
    const hooks = { signal: new AbortController().signal, onProgress: () => {} };
    await eraseOrganization(database.pool, TEST_ACTOR, erasure, hooks);
    const tried = await here.json('org', 'import', '--folder', exported, '--dry-run');
    expect(tried).to.include({ org_id: org, is_dry_run: true });
    expect(await database.rows('select from organizations')).to.have.length(0);

    const { tables, ...result } = await here.json('org', 'import', '--folder', exported);
    expect(result).to.deep.equal({
      ...{ org_id: org, name: NAME, is_dry_run: false },
      users: { created: ['ann@example.com', 'bob@example.com'], found: [], left_out: [] },
    });
    expect(tables).to.deep.equal(tried.tables);
    const again = join(folder, 'again');
    await here.json('org', 'export', '--org', String(org), '--folder', again);
    const counted = await rowsOf(database, org);
    for (const [table, rows] of Object.entries(before)) {
      if (NOT_IMPORTED.includes(table)) {
        expect(counted[table], table).to.equal(0);
      } else if (!CHANGED.includes(table) && !DERIVED.includes(table)) {
        expect(linesOf(again, table), table).to.deep.equal(linesOf(exported, table));
      } else if (CHANGED.includes(table)) {
        expect(counted[table], table).to.equal(rows + (table === 'changes' ? 1 : 0));
      }
    }
    expect(await database.rows('select state from webhooks')).to.deep.equal([{ state: 'off' }]);
    for (const table of ['api_keys', 'handhelds']) {
      expect(await database.rows(`select from ${table} where revoked_at is null`), table).to.deep.equal([]);
    }
    const counters =
      'select resource, is_active, sum(row_count)::integer as rows from live_row_counts group by 1, 2';
    const kept = await database.rows(`${counters} order by 1, 2`);
    await database.rows('select recount_live_rows()');
    expect(kept).to.deep.equal(await database.rows(`${counters} order by 1, 2`));
    const [logged] = await database.rows(
      'select action, after from changes order by at desc, id desc limit 1',
    );
    expect(logged).to.have.property('action', 'import');
    // Ids go on where they were.
    const [highest] = await database.rows<{ id: number }>('select max(id) as id from assets');
    expect(await Site.of(database, org).asset('NEW', 'E28F')).to.be.above(highest?.id ?? 0);
  });

  it('refuses an organization that is here, and ids that are taken, and changes nothing', async () => {
    const unchanged = async (...args: string[]) => {
      const before = await rowsOf(database, org);
      const empty = await createOrganization(databaseOn(database.pool), TEST_ACTOR, 'Empty');
      const { status, stdout, stderr } = await here.tagtrail(
        ...['org', 'import', '--folder', exported],
        ...args.map((arg) => (arg === 'EMPTY' ? String(empty.id) : arg)),
      );
      expect({ status, stdout }).to.deep.equal({ status: 1, stdout: '' });
      expect(await rowsOf(database, org)).to.deep.equal(before);
      expect(Object.entries(await rowsOf(database, empty.id)).filter(([, rows]) => rows > 0)).to.deep.equal([
        ['changes', 1],
      ]);
      return stderr;
    };
    expect(await unchanged()).to.include(`Organization ${org} exists here`);
    expect(await unchanged('--org', String(org))).to.include(`Organization ${org} is not empty`);
    expect(await unchanged('--org', 'EMPTY')).to.include('readers: mqtt_username');
  });

  it('brings it to another installation, as another organization, without strangers who took an address', async () => {
    const db = databaseOn(elsewhere.pool);
    for (const name of ['First', 'Second', 'Mine']) {
      await createOrganization(db, TEST_ACTOR, name);
    }
    const [mine] = await elsewhere.rows<{ id: number }>(`select id from organizations where name = 'Mine'`);
    const target = mine?.id ?? 0;
    // Past the ids of the export, so that only the address is hers.
    await elsewhere.rows(`select setval(pg_get_serial_sequence('users', 'id'), 1000)`);
    await createUser(db, TEST_ACTOR, { email: 'bob@example.com', name: 'Somebody', membership: null });

    const { tables, users } = await there.json(
      'org',
      'import',
      '--folder',
      exported,
      '--org',
      String(target),
    );
    expect(users).to.deep.equal({ created: ['ann@example.com'], found: [], left_out: ['bob@example.com'] });
    expect(tables).to.deep.include({ name: 'memberships', rows: 1, left_out: 1 });
    const members = `select email, password from memberships join users on users.id = user_id where org_id = $1`;
    expect(await elsewhere.rows(members, [target])).to.deep.equal([
      { email: 'ann@example.com', password: null },
    ]);
    const again = join(folder, 'elsewhere');
    await there.json('org', 'export', '--org', String(target), '--folder', again);
    for (const table of [
      'scan_events',
      'location_transitions',
      'positions',
      'moves',
      'rules',
      'alerts',
      'tag_readings',
      'newest_readings',
      'tags',
      'antennas',
      'plans',
      'plan_places',
      'plan_antennas',
      'asset_photos',
    ]) {
      const moved = linesOf(exported, table).map((line) => ({ ...JSON.parse(line), org_id: target }));
      expect(moved, table).to.have.length.above(0);
      expect(
        linesOf(again, table).map((line) => JSON.parse(line)),
        table,
      ).to.have.deep.members(moved);
    }
    // Its alerts end there.
    expect(await openAlerts(elsewhere)).to.deep.equal(['battery_low', 'reading']);
    await measure(elsewhere, 5, { temperature_c: 4, battery_percent: 90 });
    expect(await openAlerts(elsewhere)).to.deep.equal([]);
  });

  it('refuses a file that is not what was exported', async () => {
    const damaged = join(folder, 'damaged');
    cpSync(exported, damaged, { recursive: true });
    writeFileSync(
      join(damaged, 'scan_events.jsonl'),
      `${linesOf(exported, 'scan_events').slice(1).join('\n')}\n`,
    );
    await here.fails(2, 'its SHA-256 is another', 'org', 'import', '--folder', damaged);
    rmSync(join(damaged, 'scan_events.jsonl'));
    await here.fails(2, 'scan_events.jsonl cannot be read', 'org', 'import', '--folder', damaged);
    rmSync(join(damaged, 'manifest.json'));
    await here.fails(2, 'is one that org export completed', 'org', 'import', '--folder', damaged);
  });

  it('leaves nothing when it is interrupted', async () => {
    await elsewhere.rows('truncate organizations, users cascade');
    const before = await rowsOf(elsewhere, org);
    const interrupted = new AbortController();
    const { signal } = interrupted;
    const opened = await openExported(exported, { signal, onProgress: () => {} });
    const importing = importOrganization(elsewhere.url, TEST_ACTOR, opened, {
      ...{ into: null, isDryRun: false, signal },
      onProgress: (table) => {
        if (table === 'scan_events') {
          interrupted.abort();
        }
      },
    });
    expect(await importing.catch((error: Error) => error.name)).to.equal('AbortError');
    expect(await elsewhere.rows('select from organizations')).to.deep.equal([]);
    expect(await elsewhere.rows('select from users')).to.deep.equal([]);
    expect(await rowsOf(elsewhere, org)).to.deep.equal(before);
  });
});
