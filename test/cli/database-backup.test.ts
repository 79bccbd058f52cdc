import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync, gzipSync } from 'node:zlib';
import { expect } from 'chai';
import pg from 'pg';
import { connectionConfig } from '../../db/timescale/connections/connection.ts';
import { withDatabase } from '../../db/timescale/connections/database-url.ts';
import { createDatabase } from '../../db/timescale/schema/create-database.ts';
import { MADE_WITH } from '../../db/timescale/schema/require-fit.ts';
import { useBeforeBaseline } from '../support/before-baseline.ts';
import { commandLineOn } from '../support/command-line.ts';
import { serverUrl, useDatabase } from '../support/database.ts';
import { jsonOn, onEmbedded, useDataFolders } from '../support/embedded-folder.ts';
import { expectedRows, fillDatabase } from '../support/filled-database.ts';
import { freePort } from '../support/free-port.ts';
import { itByNight } from '../support/random-sets.ts';

describe('a backup by the command line', () => {
  const source = useDatabase();
  const folders = useDataFolders();
  const { json } = commandLineOn(() => source);
  const folder = mkdtempSync(join(tmpdir(), 'tagtrail-backup-'));
  const file = join(folder, 'tagtrail.backup');
  const prefix = `restored_${randomBytes(4).toString('hex')}`;
  let server: pg.Client;
  let before_: { table: string; rows: number }[];
  let targets = 0;

  before(async () => {
    server = new pg.Client(connectionConfig(serverUrl()));
    await server.connect();
    await fillDatabase(source);
    // The database is in use: a transaction that has written and is under way is not in the backup.
    before_ = await json('database', 'checksums');
    const other = await source.pool.connect();
    await other.query(`begin; insert into organizations (name) values ('Later')`);
    const made = await json('database', 'backup', '--file', file);
    await other.query('commit');
    other.release();
    expect(made).to.deep.equal({ file, tables: before_ });
  });
  after(async () => {
    const { rows } = await server.query('select datname from pg_database where starts_with(datname, $1)', [
      prefix,
    ]);
    for (const { datname } of rows) {
      await server.query(`drop database ${datname} with (force)`);
    }
    await server.query(`drop role if exists ${prefix}`);
    await server.end();
    rmSync(folder, { recursive: true });
  });

  function target() {
    targets += 1;
    const url = withDatabase(serverUrl(), `${prefix}_${targets}`);
    return { url, ...commandLineOn(() => ({ url })) };
  }

  function changed(change: (pieces: Buffer) => Buffer): string {
    const path = join(folder, 'changed.backup');
    writeFileSync(path, gzipSync(change(gunzipSync(readFileSync(file))), { level: 1 }));
    return path;
  }

  it('is for nobody else to read', () => {
    expect(statSync(file).mode & 0o777).to.equal(0o600);
  });

  it('is restored into a database that was not there, with owner, locale and all that it held', async () => {
    for (const [table, rows] of Object.entries(expectedRows(before_))) {
      expect(rows, table).to.be.above(0);
    }
    const { json: onTarget, fails } = target();
    const restored = await onTarget('database', 'restore', '--file', file);
    expect(restored.tables).to.deep.equal(before_);
    expect(await onTarget('database', 'checksums')).to.deep.equal(before_);
    expect(await onTarget('migrate')).to.deep.include({ applied: [] });
    const { rows } = await server.query(
      'select datlocprovider, datlocale, datdba::regrole::text = current_user as is_ours from pg_database where datname = $1',
      [`${prefix}_${targets}`],
    );
    expect(rows).to.deep.equal([{ datlocprovider: 'b', datlocale: 'C.UTF-8', is_ours: true }]);
    await onTarget('org', 'create', '--name', 'After');
    await fails(
      1,
      'has organizations already; restore into an empty one',
      'database',
      'restore',
      '--file',
      file,
    );
  });

  itByNight(
    'of a database is restored into the embedded one, and one of the embedded one into a database',
    async () => {
      const data = folders.path('data');
      const restored = await jsonOn(data, 'database', 'restore', '--file', file);
      expect(restored.tables).to.deep.equal(before_);
      await onEmbedded(data, async ({ rows }) => {
        // Commands find it running, as beside npm start.
        await rows(`insert into organizations (name) values ('Beside')`);
        const beside = await jsonOn(data, 'database', 'checksums');
        const second = join(folder, 'embedded.backup');
        expect((await jsonOn(data, 'database', 'backup', '--file', second)).tables).to.deep.equal(beside);
        const back = await target().json('database', 'restore', '--file', second);
        expect(back.tables).to.deep.equal(beside);
      });
    },
  );

  it('is written to standard output, with nothing beside it, and read from standard input', async () => {
    const { url, json: onTarget } = target();
    const tagtrail = (database: string, verb: string, input?: Buffer) =>
      spawnSync(process.execPath, [TAGTRAIL, 'database', verb, '--file', '-'], {
        env: { ...process.env, DATABASE_URL: database },
        ...(input === undefined ? {} : { input }),
      });
    await source.rows(`delete from organizations where name = 'Later'`);
    const made = tagtrail(source.url, 'backup');
    // No warning of the runtime either.
    expect(made.stderr.toString()).to.equal('');
    const ended = tagtrail(url, 'restore', made.stdout);
    expect(ended.status, ended.stderr.toString()).to.equal(0);
    expect(ended.stdout.toString()).to.include('Everything is restored').and.include('tagtrail migrate');
    expect(await onTarget('database', 'checksums')).to.deep.equal(before_);
  });

  it('that is cut off, damaged, or none, is refused and leaves nothing', async () => {
    const { json: onTarget, fails } = target();
    const whole = readFileSync(file);
    const cut = join(folder, 'cut.backup');
    for (const [what, message] of [
      [whole.subarray(0, whole.length / 2), 'is not a complete backup'],
      [
        Buffer.concat([whole.subarray(0, 5_000), randomBytes(200), whole.subarray(5_200)]),
        'is not a complete backup',
      ],
      [Buffer.from('not a backup\n'), 'is not a complete backup'],
      [gzipSync('{"kind":"header"}'), 'backup'],
      [gzipSync(''), 'backup'],
    ] as const) {
      writeFileSync(cut, what);
      await fails(1, message, 'database', 'restore', '--file', cut);
    }
    await fails(
      1,
      'is not a complete backup',
      'database',
      'restore',
      '--file',
      changed((all) => all.subarray(0, -19)),
    );
    await fails(1, 'nothing was restored', 'database', 'restore', '--file', changed(withoutOneRow));
    await fails(2, 'cannot be read', 'database', 'restore', '--file', join(folder, 'none'));
    const restored = await onTarget('database', 'restore', '--file', file);
    expect(restored.tables).to.deep.equal(before_);
  });

  it('of a later version is refused', async () => {
    const names = JSON.stringify('0200-baseline').slice(1, -1);
    const later = changed((all) => replaced(all, names, `9${names.slice(1)}`));
    const says = 'Use the version that made it, or a newer one';
    await target().fails(1, says, 'database', 'restore', '--file', later);
  });

  describe('of a database from before the baseline', () => {
    const early = useBeforeBaseline();
    itByNight('is restored, and migrated then', async () => {
      const { client, url } = early;
      const earlier = commandLineOn(() => ({ url }));
      const made = join(folder, 'earlier.backup');
      const restore = ['database', 'restore', '--file', made];
      await earlier.fails(1, 'is not migrated to this version', 'org', 'list');
      await client.query('update positions set is_in_feed = false');
      await earlier.json('database', 'backup', '--file', made);
      await target().fails(1, 'has not put all histories into the move feed', ...restore);
      await client.query('update positions set is_in_feed = true');
      await earlier.json('database', 'backup', '--file', made);
      await earlier.fails(1, 'is not migrated to this version', 'org', 'list');

      const { json: onTarget } = target();
      await onTarget(...restore);
      expect((await onTarget('migrate')).applied).to.include('0201-readers-deleted-at');
      expect(await onTarget('org', 'list')).to.have.lengthOf(1);
    });
  });

  it('goes into a database that an administrator made, if it has the right owner and locale', async () => {
    await server.query(`create role ${prefix} login createrole password 'owner'`);
    for (const role of ['tagtrail_api', 'tagtrail_access', 'tagtrail_service', 'tagtrail_people']) {
      await server.query(`grant ${role} to ${prefix} with admin true, inherit true, set true`);
    }
    const asOwner = (url: string) => {
      const own = Object.assign(new URL(url), { username: prefix, password: 'owner' });
      return commandLineOn(() => ({ url: own.href }));
    };
    const missing = target();
    await asOwner(missing.url).fails(
      1,
      `As a superuser: create database "${prefix}_${targets}" owner "${prefix}" ${MADE_WITH};`,
      ...['database', 'restore', '--file', file],
    );

    const foreign = target();
    await createDatabase(foreign.url);
    const name = `${prefix}_${targets}`;
    for (const command of [['migrate'], ['database', 'restore', '--file', file]]) {
      const { status, stderr } = await asOwner(foreign.url).tagtrail(...command);
      expect(status).to.equal(1);
      expect(stderr).to.equal(
        `${prefix} does not own the database ${name}, and may create nothing in it. As a superuser: alter database "${name}" owner to "${prefix}";\n`,
      );
    }
    await server.query(`alter database ${name} owner to ${prefix}`);
    const administrator = new pg.Client(connectionConfig(foreign.url));
    await administrator.connect();
    await administrator.query('create table theirs (id integer)');
    await asOwner(foreign.url).fails(
      1,
      'has other tables (theirs); restore into an empty one',
      ...['database', 'restore', '--file', file],
    );
    await administrator.query('drop table theirs');
    await administrator.end();
    const { status, stdout, stderr } = await asOwner(foreign.url).tagtrail(
      'database',
      'restore',
      '--file',
      file,
    );
    expect(status, stderr).to.equal(0);
    expect(stdout).to.include('and agrees.');

    const nowhere = Object.assign(new URL(foreign.url), { port: String(await freePort()) });
    const { stderr: said } = await commandLineOn(() => ({ url: nowhere.href })).tagtrail(
      ...['database', 'restore', '--file', file],
    );
    expect(said).to.match(/^The database at DATABASE_URL \(\S+\) cannot be reached: .+\n$/);

    const ownLocale = target();
    const other = `${prefix}_${targets}`;
    await server.query(
      `create database ${other} owner ${prefix} template template0 encoding 'UTF8' locale_provider libc locale 'C'`,
    );
    for (const command of [['migrate'], ['database', 'restore', '--file', file]]) {
      const { status, stderr } = await asOwner(ownLocale.url).tagtrail(...command);
      expect(status).to.equal(1);
      expect(stderr)
        .to.match(/^The database \S+ has the encoding UTF8 and the locale C \(libc\)/)
        .and.include('restore a backup into it')
        .and.not.include('    at ');
    }
  });
});

const TAGTRAIL = fileURLToPath(new URL('../../services/cli/tagtrail.ts', import.meta.url));

/** The last row of a table that has one, left out. */
function withoutOneRow(all: Buffer): Buffer {
  const pieces: Buffer[] = [];
  let isLeftOut = false;
  for (let at = 0; at < all.length; ) {
    const end = at + 5 + all.readUInt32BE(at + 1);
    const isRow = all.readUInt8(at) === 1;
    if (isLeftOut || !isRow) {
      pieces.push(all.subarray(at, end));
    }
    isLeftOut ||= isRow;
    at = end;
  }
  return Buffer.concat(pieces);
}

function replaced(all: Buffer, one: string, other: string): Buffer {
  const at = all.indexOf(one);
  expect(at).to.be.above(0);
  return Buffer.concat([all.subarray(0, at), Buffer.from(other), all.subarray(at + one.length)]);
}
