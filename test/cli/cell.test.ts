import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { databaseOn } from '../../db/timescale/connections/database.ts';
import { countRows } from '../../db/timescale/erase/erase-rows.ts';
import { createApiKey } from '../../domain/administration/api-keys/issue-key.ts';
import { createConsumer } from '../../domain/administration/mqtt-consumers/consumers.ts';
import { examineCellMoves } from '../../domain/health/cell-moves.ts';
import { TEST_ACTOR } from '../support/actor.ts';
import { commandLineOn } from '../support/command-line.ts';
import type { TestDatabase } from '../support/database.ts';
import { expectFinding, runDoctor } from '../support/doctor.ts';
import { useDataFolders } from '../support/embedded-folder.ts';
import { fillDatabase } from '../support/filled-database.ts';
import { run } from '../support/process.ts';
import { Site } from '../support/site.ts';
import { until } from '../support/subscribed-ingest.ts';
import { useTwoCells } from '../support/two-cells.ts';

describe('moving an organization to another cell, on the command line', () => {
  const cells = useTwoCells();
  const folders = useDataFolders();
  // Processes sign in by a login that may do nothing of this.
  const processes = 'postgres://nobody@127.0.0.1:1/first';
  const here = commandLineOn(() => cells.first);
  const there = commandLineOn(() => cells.second);
  let org: string;
  let credentials: string[];

  before(async () => {
    await fillDatabase(cells.first);
    await Site.create(cells.first, 'Neighbour');
    await Site.create(cells.second, 'Of the other cell');
    const [row] = await cells.first.rows<{ id: number }>('select min(id) as id from organizations');
    const orgId = row?.id ?? 0;
    org = String(orgId);
    const db = databaseOn(cells.first.pool);
    const key = await createApiKey(db, TEST_ACTOR, {
      ...{ orgId, name: 'key', scopes: ['assets:read'], expiresAt: null },
    });
    const { username } = await createConsumer(db, TEST_ACTOR, { orgId, name: 'Node-RED' });
    credentials = [key.id, username, 'portal', 'th_1'];
  });

  const move = (...args: string[]) => ['cell', 'move', '--org', org, '--to', cells.second.url, ...args];
  const findings = async () =>
    (await examineCellMoves(databaseOn(cells.first.pool))).map(({ message }) => message);

  const logged = async () => {
    const entries = (database: TestDatabase) =>
      database.rows(
        `select org_id is not null as is_its_own, actor_type from changes where action = 'move' and resource_id = $1`,
        [org],
      );
    return { here: await entries(cells.first), there: await entries(cells.second) };
  };
  const LOGGED = {
    here: [{ is_its_own: false, actor_type: 'command_line' }],
    there: [{ is_its_own: true, actor_type: 'command_line' }],
  };

  /** Until the server has noticed, too. */
  const isGone = () =>
    until(async () => {
      const sessions = await cells.first.rows(
        `select from pg_stat_activity where application_name = 'tagtrail cell move'`,
      );
      return sessions.length === 0;
    });

  it('says what a cell may not be', async () => {
    await here.fails(1, 'This cell has used ids of another range already', 'cell', 'number', '--set', '3');
    await here.fails(
      1,
      '--to names the database that the organization is in',
      ...move().with(-1, cells.first.url),
    );
  });

  it('says in one line what is wrong with --to, and what to do', async () => {
    const to = (change: (url: URL) => void) => {
      const url = new URL(cells.second.url);
      change(url);
      return move().with(-1, url.href);
    };
    const wrong = await Promise.all(
      [
        to((url) => {
          url.password = 'wrong';
        }),
        to((url) => {
          url.pathname = '/nowhere';
        }),
        to((url) => {
          url.port = '1';
        }),
        to((url) => {
          url.pathname = '/postgres';
        }),
      ].map((args) => here.tagtrail(...args)),
    );
    for (const [index, remedy] of [
      /password authentication failed.*Correct the user and password in --to$/,
      /"nowhere" does not exist.*Create the database, or correct its name in --to$/,
      /ECONNREFUSED.*Start PostgreSQL, or correct the host and port in --to$/,
      /is not migrated; with that cell's settings run npx --no -- tagtrail migrate, then cell number$/,
    ].entries()) {
      const { status, stderr } = wrong[index] ?? {};
      expect(status).to.equal(1);
      const [line, ...others] = stderr?.trimEnd().split('\n') ?? [];
      expect(others, line).to.deep.equal([]);
      expect(line)
        .to.match(/^The database at --to \(\S+\) /)
        .and.to.match(remedy);
    }
  });

  it('refuses readers of a broker that is not the embedded one', async () => {
    const { fails } = commandLineOn(() => cells.first, { MQTT_URL: 'mqtt://127.0.0.1:1' });
    await fails(1, `Readers of organization ${org} (1) publish to a broker of your own`, ...move());
    await cells.first.rows(
      `insert into broker_sessions (realm, client_id, is_divided, connected_at, forgotten_at)
       values ('rabbitmq', 'queue', true, now(), now())`,
    );
    await here.fails(1, `Readers of organization ${org} (1) publish to a broker of your own`, ...move());
    await cells.first.rows('update readers set last_used_at = now()');
  });

  it('ends when it is interrupted or killed while it waits to copy, and says so', async () => {
    const open = await cells.first.pool.connect();
    await open.query('begin');
    await open.query('select pg_current_xact_id()');
    const slots = async () =>
      (await cells.first.rows(`select from pg_replication_slots where active_pid is not null`)).length;
    // The slot waits for what is under way.
    const begin = async () => {
      const begun = run('services/cli/tagtrail.ts', move(), {
        ...{ MIGRATE_DATABASE_URL: cells.first.url, DATABASE_URL: processes },
      });
      await until(async () => (await slots()) > 0);
      return begun;
    };
    const interrupted = await begin();
    interrupted.child.kill('SIGINT');
    expect(await interrupted.ended).to.equal(1);
    expect(interrupted.stderr()).to.include('Interrupted; run this again to continue');
    expect(await slots()).to.equal(0);
    const killed = await begin();
    expect(await findings()).to.deep.equal([]);
    killed.child.kill('SIGKILL');
    await killed.ended;
    await open.query('commit');
    open.release();
    await isGone();
    expect((await findings()).join()).to.match(
      new RegExp(
        `^Organization ${org} has been on its way to \\S+/second since .*, but no command is moving it`,
      ),
    );
  });

  it('goes on, is killed at the switch, and cannot be given up any more', async () => {
    const killed = run('services/cli/tagtrail.ts', move('--route', 'kill -9 $PPID'), {
      DATABASE_URL: cells.first.url,
    });
    expect(await killed.ended, killed.stderr()).to.equal('SIGKILL');
    await isGone();
    expect(await logged()).to.deep.equal(LOGGED);
    const doctor = await runDoctor({ DATABASE_URL: cells.first.url, TAGTRAIL_DATA: folders.path('none') });
    expectFinding(
      doctor.of('moves between cells'),
      'fault',
      `Organization ${org} has moved to `,
      `Complete it with npx --no -- tagtrail cell move --org ${org}`,
    );
    await here.fails(
      1,
      `Organization ${org} has moved; run cell move again to complete it`,
      ...['cell', 'give-up', '--org', org, '--to', cells.second.url],
    );
    await here.fails(
      1,
      `Organization ${org} is being moved between cells`,
      ...['org', 'erase', '--org', org, '--confirm', 'Acme "quoted", ü'],
    );
  });

  it('completes it, and tells the router', async () => {
    const route = join(folders.path('route'), 'route');
    const said = await here.json(...move('--route', `mkdir -p ${folders.path('route')}; cat > ${route}`));
    expect(said).to.deep.equal({ id: Number(org), held_ms: null, is_router_told: true, tables: [] });
    const lines = readFileSync(route, 'utf8').trimEnd().split('\n');
    expect(lines).to.have.members(credentials.map((credential) => `${credential} 2`));
    expect(await findings()).to.deep.equal([]);
    expect(await logged()).to.deep.equal(LOGGED);
  });

  it('tells a router later, or once more, also when it is erased where it was', async () => {
    const told = join(folders.path('again'), 'told');
    const route = [
      'cell',
      'route',
      '--org',
      org,
      '--route',
      `mkdir -p ${folders.path('again')}; cat > ${told}`,
    ];
    await here.fails(1, `Organization ${org} has moved to `, ...move());
    await there.fails(
      1,
      'The other cell still has a copy of organization',
      ...['cell', 'move', '--org', org, '--to', cells.first.url],
    );
    await here.fails(1, 'run this with the settings of that cell', ...route);
    await here.tagtrail('org', 'erase', '--org', org, '--confirm', 'Acme "quoted", ü');
    await here.fails(1, `Organization ${org} not found`, ...route);
    expect(await there.json(...route)).to.deep.equal({ id: Number(org) });
    expect(readFileSync(told, 'utf8').trimEnd().split('\n')).to.have.members(
      credentials.map((credential) => `${credential} 2`),
    );
    await there.fails(1, `is in cell 2, but the command of --route failed (3)`, ...route.with(-1, 'exit 3'));
  });

  it('moves it back once it is erased where it was, with keys that say where they were issued', async () => {
    const back = ['cell', 'move', '--org', org, '--to', cells.first.url];
    const { key } = await there.json(
      'key',
      'create',
      '--org',
      org,
      '--name',
      'new',
      '--scopes',
      'assets:read',
    );
    expect(key).to.match(/^tt2_/);
    const before = await countRows(cells.second.pool, Number(org));
    const { tables, is_router_told: isRouterTold } = await there.json(...back);
    expect(isRouterTold).to.equal(false);
    const moved = new Map(tables.map(({ table, rows }: { table: string; rows: number }) => [table, rows]));
    expect(moved.get('scan_events')).to.equal(before.find(({ name }) => name === 'scan_events')?.rows);
    const scans = await cells.first.rows('select from scan_events where org_id = $1', [org]);
    expect(scans).to.have.lengthOf(Number(moved.get('scan_events')));
  });
});
