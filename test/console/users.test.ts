import { expect } from 'chai';
import { ORGANIZATION_LOCKS } from '../../db/timescale/connections/advisory-locks.ts';
import { MACHINE_CLOCKS } from '../../platform/rate-limit/start-limiter.ts';
import { type ConsoleCall, useConsole } from '../support/console.ts';
import { PASSWORD } from '../support/people.ts';
import { untilWaiting } from '../support/until-waiting.ts';

describe('the members of an organization', () => {
  const suite = useConsole();
  const { call } = suite;
  const post = (path: string, json: object, more: Partial<ConsoleCall> = {}) =>
    call({ method: 'POST', path, json, ...more });

  it('are invited by a link, which makes one of them', async () => {
    const made = await post('/invitations', { email: ' New@Example.com', role: 'operator' });
    expect(made.status, made.text).to.equal(200);
    const { id, url, ...invited } = made.body.data;
    expect(invited).to.include({ email: 'new@example.com', role: 'operator' });
    expect(url).to.match(new RegExp(`^${suite.url}/#/link/[\\w-]{43}$`));
    expect((await call({ path: '/invitations' })).body.data[0]).to.include({ id, email: 'new@example.com' });
    expect((await call({ path: '/invitations' })).text).not.to.include(url.slice(-43));

    const accepted = await post(
      '/links/accept',
      { token: url.slice(-43), name: 'New', password: PASSWORD },
      { token: null },
    );
    expect(accepted.body.data.memberships[0].role).to.equal('operator');
    const { data, total_count: count } = (await call({ path: '/users' })).body;
    expect(count).to.equal(2);
    expect(data.find(({ email }: { email: string }) => email === 'new@example.com')).to.include({
      ...{ name: 'New', role: 'operator', is_disabled: false, has_password: true },
    });
    expect((await call({ path: '/invitations' })).body.data).to.deep.equal([]);
  });

  it('are no more invited once that is withdrawn', async () => {
    const { id, url } = (await post('/invitations', { email: 'late@example.com', role: 'viewer' })).body.data;
    expect((await call({ method: 'DELETE', path: `/invitations/${id}` })).status).to.equal(204);
    expect((await post('/links/look', { token: url.slice(-43) }, { token: null })).status).to.equal(404);
    const wrong = await post('/invitations', { email: 'nobody', role: 'viewer' });
    expect([wrong.status, wrong.body.error.fields[0].field]).to.deep.equal([400, 'email']);
  });

  it('are invited by a link that does not tell whether the address has an account', async () => {
    const [known, unknown] = ['has-one@example.com', 'has-none@example.com'];
    await suite.people.user(known, { orgId: await suite.people.organization('Elsewhere'), role: 'viewer' });
    const look = async (email: string) => {
      // One for which no time passes.
      const url = await suite.start({}, { clocks: { ...MACHINE_CLOCKS, monotonic: () => 0 } });
      const made = await post('/invitations', { email, role: 'viewer' });
      const token = made.body.data.url.slice(-43);
      const send = async (path: string, json: object) => {
        const answer = await fetch(`${url}/console/v1${path}`, {
          method: 'POST',
          headers: { Origin: url, 'X-Tagtrail-Console': '1', 'Content-Type': 'application/json' },
          body: JSON.stringify({ token, ...json }),
        });
        const text = (await answer.text())
          .replaceAll(email, 'ADDRESS')
          .replace(/"(request_id|expires_at)":"[^"]*"/g, '');
        return [answer.status, text];
      };
      const answers = [Object.keys(made.body.data), await send('/links/look', {})];
      // Nothing of this uses the link up.
      for (const json of [
        {},
        { name: 'Eve' },
        { name: 'Eve', password: 'short' },
        { password: PASSWORD },
        { password: 'guess', new_password: 'short' },
        ...Array(11).fill({ password: 'guess', new_password: 'nine ferries in thin fog' }),
      ]) {
        answers.push(await send('/links/accept', json));
      }
      return answers;
    };
    const answers = await look(known);
    expect(answers).to.deep.equal(await look(unknown));
    expect(answers.at(-1)?.[0]).to.equal(429);
  });

  it('are invited to no more guesses at the password of an account than there are at signing in', async () => {
    const email = 'elsewhere@example.com';
    await suite.people.user(email);
    const url = await suite.start();
    const send = (path: string, json: object) =>
      fetch(`${url}/console/v1${path}`, {
        method: 'POST',
        headers: { Origin: url, 'X-Tagtrail-Console': '1', 'Content-Type': 'application/json' },
        body: JSON.stringify(json),
      });
    let link = '';
    let refused: { status: number; detail: string } = { status: 0, detail: '' };
    for (let guesses = 0; refused.status !== 429; guesses++) {
      if (guesses % 4 === 0) {
        link = (await post('/invitations', { email, role: 'viewer' })).body.data.url.slice(-43);
      }
      const json = { token: link, password: 'guess', new_password: 'nine ferries in thin fog' };
      ({ error: refused } = (await (await send('/links/accept', json)).json()) as { error: typeof refused });
    }
    expect(refused.detail).to.match(/for this account/);
  });

  it('are invited without keeping others from signing in, or from their own members', async () => {
    const neighbour = await suite.as('admin', await suite.people.organization('Neighbour'));
    await suite.people.user('guest@example.com');
    const client = await suite.database.pool.connect();
    let invited: ReturnType<typeof post>[] = [];
    try {
      await client.query('begin');
      await client.query('select pg_advisory_xact_lock($1, $2)', [ORGANIZATION_LOCKS.room, suite.orgId]);
      invited = [1, 2, 3, 4].map((at) =>
        post('/invitations', { email: `waits${at}@example.com`, role: 'viewer' }),
      );
      await untilWaiting(suite.database, 1);
      const guest = { email: 'guest@example.com', password: PASSWORD };
      expect((await post('/session', guest, { token: null })).status).to.equal(200);
      expect((await call({ path: '/users', token: neighbour })).body.total_count).to.equal(1);
    } finally {
      await client.query('rollback');
      client.release();
    }
    expect((await Promise.all(invited)).map(({ status }) => status)).to.deep.equal([200, 200, 200, 200]);
  });

  it('may do what their role allows, from the next request on', async () => {
    const token = await suite.as('viewer');
    const { id } = (await call({ path: '/session', token })).body.data.user;
    const create = () => post('/assets', { name: 'Pallet' }, { token });
    expect((await create()).status).to.equal(403);
    const patch = (json: object) => call({ method: 'PATCH', path: `/users/${id}`, json });
    expect((await patch({ role: 'operator' })).status).to.equal(204);
    expect((await create()).status).to.equal(201);
    expect((await patch({ is_disabled: true })).status).to.equal(204);
    expect((await create()).status).to.equal(401);
    expect((await patch({ is_disabled: false })).status).to.equal(204);
    const link = await call({ method: 'POST', path: `/users/${id}/reset-link` });
    expect(link.body.data.url).to.include('/#/link/');
    expect((await call({ method: 'DELETE', path: `/users/${id}` })).status).to.equal(204);
    expect((await patch({ role: 'admin' })).status).to.equal(404);
  });

  it('keep an administrator', async () => {
    const { id } = (await call({ path: '/session' })).body.data.user;
    const answer = await call({ method: 'PATCH', path: `/users/${id}`, json: { role: 'viewer' } });
    expect([answer.status, answer.body.error.type]).to.deep.equal([409, 'conflict']);
  });

  it('are written to the change log with who changed them', async () => {
    const { id } = (await call({ path: '/session' })).body.data.user;
    const rows = await suite.database.rows(
      `select distinct actor_type, actor_id from changes where org_id = $1 and resource_type = 'membership' and action = 'update'`,
      [suite.orgId],
    );
    expect(rows).to.deep.equal([{ actor_type: 'user', actor_id: String(id) }]);
  });
});
