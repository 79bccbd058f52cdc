import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import pg from 'pg';
import { useDatabase } from '../support/database.ts';
import { startByConfiguration, usePgBouncer } from '../support/pgbouncer.ts';
import { readDeployed } from './folder.ts';

describe('the configuration of PgBouncer', () => {
  usePgBouncer();
  const database = useDatabase();

  it('lets in the login of DATABASE_URL, by the line that the runbook takes from PostgreSQL, and nobody else', async () => {
    const login = `pooled_${process.pid}`;
    await database.rows(`create role ${login} login password 'a password'`);
    database.beforeDrop(() => database.rows(`drop role ${login}`));
    const [, written = ''] =
      /psql --tuples-only --no-align --output=\/etc\/pgbouncer\/userlist.txt \\\n +--command="(select format.*)"$/m.exec(
        readDeployed('grow.md'),
      ) ?? [];
    const users = await database.rows(written.replaceAll('\\"', '"').replace('tagtrail_app', login));
    const { hostname, port, pathname } = new URL(database.url);
    const { url, stop } = await startByConfiguration(database.url, (own, folder) => {
      writeFileSync(join(folder, 'userlist.txt'), users.map(({ format }) => `${format}\n`).join(''));
      return readDeployed('pgbouncer/pgbouncer.ini')
        .replace(
          'tagtrail = host=127.0.0.1 port=5432',
          `${pathname.slice(1)} = host=${hostname} port=${port}`,
        )
        .replace('listen_port = 6432', `listen_port = ${own}\nunix_socket_dir =`)
        .replaceAll(/\/(etc\/pgbouncer|var\/(log|run)\/postgresql)\//g, `${folder}/`);
    });
    database.beforeDrop(stop);

    expect(await signIn(url, login, 'a password')).to.equal(login);
    expect(await signIn(url, login, 'another')).to.include('failed');
    expect(await signIn(url, `${login}_2`, 'a password')).to.include('failed');
  });
});

/** @returns who PostgreSQL says it is, or why it is refused. */
async function signIn(url: string, user: string, password: string): Promise<string> {
  const client = new pg.Client(Object.assign(new URL(url), { username: user, password }).href);
  try {
    await client.connect();
    const { rows } = await client.query('select session_user as "user"');
    return rows[0].user;
  } catch (error) {
    return String(error);
  } finally {
    await client.end().catch(() => {});
  }
}
