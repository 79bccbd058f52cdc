import { expect } from 'chai';
import { pino } from 'pino';
import { heardEverywhere } from '../../base/heard-everywhere.ts';
import { Lifecycle } from '../../platform/runtime/lifecycle.ts';
import { startConsole } from '../../services/console/start.ts';
import { consoleConfig, useConsole } from '../support/console.ts';

describe('a session nobody uses', () => {
  const suite = useConsole();
  const { database } = suite;

  /** Asks a console for something and stops it, which writes what it has noted. @returns how long the session is idle then. */
  async function idleAfter(headers: Record<string, string>, path: string): Promise<number> {
    await database.rows(`update sessions set used_at = now() - interval '2 hours'`);
    const log = pino({ level: 'silent' });
    const lifecycle = new Lifecycle(log);
    const { url } = await startConsole(consoleConfig(database.url), log, lifecycle);
    const leaving = new AbortController();
    const response = await fetch(`${url}/console/v1${path}`, {
      headers: { Cookie: `tagtrail_session=${suite.token}`, ...headers },
      signal: leaving.signal,
    });
    expect(response.status).to.equal(200);
    const reader = response.body?.getReader();
    expect((await reader?.read())?.value?.length).to.be.above(0);
    leaving.abort();
    await reader?.cancel().catch(() => {});
    await lifecycle.stop();
    const [row] = await database.rows<{ hours: number }>(
      `select extract(epoch from now() - max(used_at))::integer / 3600 as hours from sessions`,
    );
    return row?.hours ?? 0;
  }

  it('ends after the minutes that are set, and says them to its user', async () => {
    const url = await suite.start({ CONSOLE_IDLE_MINUTES: 15 });
    const { token } = await suite.people.user('nurse@example.com');
    const asked = async (minutes: number) => {
      await database.rows(`update sessions set used_at = now() - make_interval(mins => $1)`, [minutes]);
      // No process keeps what it knows of a session when one of them ends.
      await database.rows(`select pg_notify('access_changed', '')`);
      await heardEverywhere();
      const response = await fetch(`${url}/console/v1/session`, {
        headers: { Cookie: `tagtrail_session=${token}`, 'X-Tagtrail-Idle': '1' },
      });
      return { status: response.status, body: await response.json() };
    };
    expect(await asked(13)).to.have.nested.property('body.data.idle_seconds', 900);
    expect(await asked(15)).to.have.property('status', 401);
  });

  it('is prolonged by what a person asks for', async () => {
    expect(await idleAfter({}, '/tree')).to.equal(0);
    expect(await idleAfter({}, '/session')).to.equal(0);
  });

  it('is not prolonged by a page that is open and follows the moves', async () => {
    expect(await idleAfter({ Accept: 'text/event-stream' }, '/events')).to.equal(2);
  });

  it('is not prolonged by what a page asks for that nobody has touched for a while', async () => {
    expect(await idleAfter({ 'X-Tagtrail-Idle': '1' }, '/tree')).to.equal(2);
    expect(await idleAfter({ 'X-Tagtrail-Idle': '1' }, '/session')).to.equal(2);
  });
});
