import { expect } from 'chai';
import { pino } from 'pino';
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
