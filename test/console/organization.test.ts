import { expect } from 'chai';
import { useConsole } from '../support/console.ts';

describe('an organization in the console', () => {
  const suite = useConsole();
  const { call } = suite;
  const patch = (json: object, token = suite.token) =>
    call({ method: 'PATCH', path: '/organization', json, token });
  const nameOf = async (token = suite.token, url = suite.url) => {
    const answer = await fetch(`${url}/console/v1/session`, {
      headers: { Cookie: `tagtrail_session=${token}` },
    });
    const { data } = (await answer.json()) as {
      data: { memberships: { organization: { name: string } }[] };
    };
    return data.memberships[0]?.organization.name;
  };

  it('is renamed by administrators, for every member from the next request on, in every process', async () => {
    const viewer = await suite.as('viewer');
    const elsewhere = await suite.start();
    expect([await nameOf(viewer), await nameOf(viewer, elsewhere)]).to.deep.equal(['Own', 'Own']);
    const renamed = await patch({ name: 'Own & Sons' });
    expect(renamed.status, renamed.text).to.equal(204);
    expect([await nameOf(viewer), await nameOf(viewer, elsewhere)]).to.deep.equal([
      'Own & Sons',
      'Own & Sons',
    ]);
  });

  it('keeps its name if none is given, or one that cannot be a name', async () => {
    expect((await patch({})).status).to.equal(204);
    for (const name of ['', 'x'.repeat(256), null]) {
      const refused = await patch({ name });
      expect([refused.status, refused.body.error.fields[0].field], String(name)).to.deep.equal([400, 'name']);
    }
    expect(await nameOf()).to.equal('Own & Sons');
  });

  it('says in the change log who renamed it, and only what changed', async () => {
    expect((await patch({ name: 'Own & Sons' })).status).to.equal(204);
    const { id } = (await call({ path: '/session' })).body.data.user;
    const { data } = (await call({ path: '/changes?resource_type=organization' })).body;
    const [renamed, ...earlier] = data;
    expect(earlier.map(({ action }: { action: string }) => action)).to.deep.equal(['create']);
    expect(renamed).to.deep.include({ before: { name: 'Own' }, after: { name: 'Own & Sons' } });
    expect(renamed.actor).to.include({ type: 'user', id: String(id) });
  });
});
