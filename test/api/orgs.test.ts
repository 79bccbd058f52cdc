import { expect } from 'chai';
import { expectIssues, expectProblem, useApi } from '../support/api.ts';

describe('GET /orgs/me', () => {
  const api = useApi();

  it('names the organization of the key, and what the key may do', async () => {
    const key = await api.keyWith(['locations:read']);
    const { status, body } = await api.call({ path: '/api/v1/orgs/me', key });
    expect(status).to.equal(200);
    expect(body?.data).to.deep.equal({
      id: api.orgId,
      name: 'Acme',
      scopes: ['locations:read'],
      api_key_id: key.split('_')[1],
    });
  });

  it('needs no scope', async () => {
    const { status, body } = await api.call({ path: '/api/v1/orgs/me', key: await api.keyWith([]) });
    expect(status).to.equal(200);
    expect(body?.data.scopes).to.deep.equal([]);
  });

  it('takes no parameter', async () => {
    expectIssues(await api.call({ path: '/api/v1/orgs/me?limit=1&a=2' }), [
      ['a', 'unknown_field'],
      ['limit', 'unknown_field'],
    ]);
  });

  it('is 422 for a key whose organization was deleted, and everything else is 403', async () => {
    const { orgId, key } = await api.organization('Gone');
    await api.database.rows('update organizations set deleted_at = now() where id = $1', [orgId]);
    expectProblem(await api.call({ path: '/api/v1/orgs/me', key }), 'missing_org_context');
    expectProblem(await api.call({ path: '/api/v1/assets', key }), 'forbidden');
  });
});
