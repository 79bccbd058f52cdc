import { expect } from 'chai';
import { heardEverywhere } from '../../base/heard-everywhere.ts';
import { databaseOn } from '../../db/timescale/connections/database.ts';
import { createWritePool } from '../../db/timescale/connections/pool.ts';
import { createHandheld, renewToken } from '../../domain/administration/handhelds/create-handheld.ts';
import { revokeHandheld } from '../../domain/administration/handhelds/revoke-handheld.ts';
import { deleteOrganization } from '../../domain/administration/organizations/organizations.ts';
import { GATEWAY_ROUTES } from '../../services/handheld-gateway/routes.ts';
import { TEST_ACTOR } from '../support/actor.ts';
import { useGateway } from '../support/gateway.ts';
import { aScan, aSubmission } from '../support/new-submission.ts';
import { sendInterrupted } from '../support/raw-request.ts';
import { Site } from '../support/site.ts';

describe('the token of a handheld', () => {
  const gateway = useGateway();
  const { database } = gateway;
  const issue = (orgId = gateway.site.orgId) =>
    createHandheld(databaseOn(database.pool), TEST_ACTOR, { orgId, name: 'test' });
  const ask = (token: string | null, url?: string, path = '/handheld/v1/locations') =>
    gateway.call({ path, token, ...(url === undefined ? {} : { url }) });

  const CALLS = GATEWAY_ROUTES.map(({ method, path }) => ({
    method,
    path: path.replace(/\{\w+\}/, '1'),
    ...(method === 'POST' ? { json: aSubmission([aScan('E2')]) } : {}),
  }));
  const BAD: [name: string, detail: string, headers: (token: string) => Record<string, string>][] = [
    ['none', 'Missing authorization header', () => ({})],
    ['another header', 'Use Authorization: Bearer <token>', (token) => ({ 'X-API-Key': token })],
    [
      'another scheme',
      'Invalid authorization header format',
      (token) => ({ Authorization: `Basic ${token}` }),
    ],
    ['no token', 'Invalid authorization header format', () => ({ Authorization: 'Bearer ' })],
    ['a malformed one', 'Invalid or expired token', () => ({ Authorization: 'Bearer th_1' })],
    [
      'an id that is none',
      'Invalid or expired token',
      (token) => ({ Authorization: `Bearer ${token.replace(/_\d+_/, '_9999999999_')}` }),
    ],
    [
      'an unknown one',
      'Invalid or expired token',
      (token) => ({ Authorization: `Bearer ${token.replace(/_\d+_/, '_4000_')}` }),
    ],
    [
      'a wrong secret',
      'Invalid or expired token',
      (token) => ({ Authorization: `Bearer ${token.slice(0, -43)}${'x'.repeat(43)}` }),
    ],
    [
      'an API key',
      'Invalid or expired token',
      () => ({ Authorization: `Bearer tt_01KQSB3M8R0E5T9V2W4X6Y8Z1A_${'x'.repeat(43)}` }),
    ],
  ];
  for (const call of CALLS) {
    for (const [name, detail, headers] of BAD) {
      it(`is wanted by ${call.method} ${call.path}: ${name}`, async () => {
        const answer = await gateway.call({ ...call, token: null, headers: headers(gateway.token) });
        expect(answer.body?.error).to.include({ type: 'unauthorized', status: 401, detail });
        expect(answer.headers.get('www-authenticate')).to.equal('Bearer realm="tagtrail"');
        expect(await database.rows('select from submissions')).to.deep.equal([]);
      });
    }

    it(`is of no use to ${call.method} ${call.path} once it is revoked`, async () => {
      const { id, token } = await issue();
      expect(
        (
          await gateway.call({
            ...call,
            path: '/handheld/v1/locations',
            method: 'GET',
            json: undefined,
            token,
          })
        ).status,
      ).to.equal(200);
      await revokeHandheld(databaseOn(database.pool), TEST_ACTOR, id);
      const answer = await gateway.call({ ...call, token });
      expect(answer.body?.error).to.include({
        type: 'unauthorized',
        detail: 'Handheld token has been revoked',
      });
      expect(await database.rows('select from submissions')).to.deep.equal([]);
    });
  }

  it('is of no use to a submission that has not all come when it is revoked', async () => {
    const { id, token } = await issue();
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const answer = await sendInterrupted(
      `${gateway.url}/handheld/v1/submissions`,
      { method: 'POST', headers, body: JSON.stringify(aSubmission([aScan('E2')])) },
      async () => {
        expect((await ask(token)).status).to.equal(200);
        await revokeHandheld(databaseOn(database.pool), TEST_ACTOR, id);
      },
    );
    expect(answer.status).to.equal(401);
    expect(await database.rows('select from submissions')).to.deep.equal([]);
  });

  it('is refused as soon as the handheld has another one, which no revoked handheld gets', async () => {
    const { id, token } = await issue();
    expect((await ask(token)).status).to.equal(200);
    const ofHandheld = { orgId: gateway.site.orgId, id };
    const renewed = await renewToken(databaseOn(database.pool), TEST_ACTOR, ofHandheld);
    await heardEverywhere();
    expect([(await ask(token)).status, (await ask(renewed.token)).status]).to.deep.equal([401, 200]);
    await revokeHandheld(databaseOn(database.pool), TEST_ACTOR, id);
    const again = await renewToken(databaseOn(database.pool), TEST_ACTOR, ofHandheld).catch((e) => e.code);
    expect(again).to.equal('conflict');
  });

  it('may be sent by any spelling of the scheme', async () => {
    const headers = { Authorization: `bEARER   ${gateway.token}` };
    expect((await gateway.call({ path: '/handheld/v1/locations', token: null, headers })).status).to.equal(
      200,
    );
  });

  it('is revoked from the next request on in every process', async () => {
    const urls = [gateway.url, await gateway.start(), await gateway.start()];
    for (let round = 0; round < 5; round++) {
      const { id, token } = await issue();
      const before = await Promise.all(urls.map((url) => ask(token, url)));
      expect(before.map(({ status }) => status)).to.deep.equal([200, 200, 200]);
      await revokeHandheld(databaseOn(database.pool), TEST_ACTOR, id);
      const after = await Promise.all(urls.map((url) => ask(token, url)));
      expect(after.map(({ status }) => status)).to.deep.equal([401, 401, 401]);
    }
  });

  it('expires if it was given an end, also if it was in use before', async () => {
    const { id, token } = await createHandheld(databaseOn(database.pool), TEST_ACTOR, {
      ...{ orgId: gateway.site.orgId, name: 'lent', expiresAt: '2099-01-01T00:00:00Z' },
    });
    expect((await ask(token)).status).to.equal(200);
    await database.rows(
      `update handhelds set expires_at = clock_timestamp() + interval '1 second' where id = $1`,
      [id],
    );
    const isOver = async () => {
      const [row] = await database.rows<{ is_over: boolean }>(
        'select expires_at <= clock_timestamp() as is_over from handhelds where id = $1',
        [id],
      );
      return row?.is_over === true;
    };
    while (!(await isOver())) {
      // Asked again and again, so that the gateway knows the token when its time comes.
      await ask(token);
    }
    expect((await ask(token)).body?.error).to.include({
      type: 'unauthorized',
      detail: 'Handheld token has expired',
    });
  });

  it('ends with its organization', async () => {
    const { orgId } = await Site.create(database, 'Gone');
    const { token } = await issue(orgId);
    expect((await ask(token)).status).to.equal(200);
    const queries = createWritePool(database.url, { max: 1 });
    await deleteOrganization(databaseOn(queries), TEST_ACTOR, orgId);
    await queries.end();
    const answer = await ask(token);
    expect(answer.body?.error).to.include({
      type: 'unauthorized',
      detail: 'The organization of this handheld no longer exists',
    });
  });

  it('is stored as a digest only', async () => {
    const { token } = await issue();
    const rows = await database.rows('select handhelds::text as text from handhelds');
    expect(rows.map(({ text }) => text).join()).to.not.include(token.slice(-43));
  });

  it('shows nothing of another organization', async () => {
    const other = await Site.create(database, 'Other');
    const location = await other.location('THEIRS');
    await other.tag({ locationId: location }, 'T1', 'barcode');
    await other.asset('CRATE', 'E2FF');
    const mine = await gateway.site.location('MINE');
    const { body } = await ask(gateway.token);
    expect(body?.data.map(({ id }: { id: number }) => id)).to.deep.equal([mine]);
    for (const path of [
      `/handheld/v1/locations/${location}/assets`,
      '/handheld/v1/tags?tag_type=barcode&value=T1',
      '/handheld/v1/tags?tag_type=rfid&value=E2FF',
    ]) {
      expect((await ask(gateway.token, undefined, path)).body?.error).to.include({
        type: 'not_found',
        status: 404,
      });
    }
  });

  it('is not needed to be told that a path or a method is none', async () => {
    const nowhere = await ask(null, undefined, '/handheld/v1/nothing');
    expect(nowhere.body?.error).to.include({
      type: 'not_found',
      detail: 'Unknown API route: /handheld/v1/nothing',
    });
    const put = await gateway.call({ method: 'PUT', path: '/handheld/v1/submissions', token: null });
    expect([put.status, put.headers.get('allow')]).to.deep.equal([405, 'POST']);
    const options = await gateway.call({ method: 'OPTIONS', path: '/handheld/v1/tags', token: null });
    expect([options.status, options.headers.get('allow')]).to.deep.equal([405, 'GET, HEAD']);
    expect([...options.headers.keys()].filter((name) => name.startsWith('access-control'))).to.deep.equal([]);
  });

  it('comes with the request id of the caller, or a new one', async () => {
    const own = await gateway.call({ path: '/handheld/v1/locations', headers: { 'X-Request-ID': 'mine' } });
    expect(own.headers.get('x-request-id')).to.equal('mine');
    expect((await ask(null)).body?.error?.request_id).to.match(/^[0-9A-HJKMNP-TV-Z]{26}$/);
  });
});
