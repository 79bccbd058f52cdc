import { expect } from 'chai';
import { useConsole } from '../support/console.ts';

describe('views of the list of assets', () => {
  const suite = useConsole();
  const VIEW = { name: 'Missing', query: 'state=missing&column=name' };
  let orgId: number;
  let token: string;
  before(async () => {
    orgId = await suite.people.organization();
    token = await suite.as('operator', orgId);
  });

  const listed = async (by = token) => (await suite.call({ path: '/asset-views', token: by })).body.data;
  const save = (json: unknown, by = token) =>
    suite.call({ method: 'POST', path: '/asset-views', json: json as object, token: by });

  it('are of one organization, kept by name, and written by operators', async () => {
    const viewer = await suite.as('viewer', orgId);
    const stranger = await suite.as('operator', await suite.people.organization());
    expect((await save(VIEW)).status).to.equal(204);
    expect((await save(VIEW, viewer)).status).to.equal(403);
    expect(await listed(viewer)).to.deep.equal([VIEW]);
    expect(await listed(stranger)).to.deep.equal([]);
    await save({ ...VIEW, query: 'q=theirs' }, stranger);
    await suite.call({ method: 'DELETE', path: '/asset-views?name=Missing', token: stranger });
    expect(await listed()).to.deep.equal([VIEW]);
    await Promise.all([
      save({ ...VIEW, query: 'q=b' }),
      save({ ...VIEW, query: 'q=b' }),
      save({ name: 'an ä', query: 'q=a' }),
    ]);
    expect(await listed()).to.deep.equal([
      { name: 'an ä', query: 'q=a' },
      { ...VIEW, query: 'q=b' },
    ]);
    const remove = { method: 'DELETE', path: '/asset-views?name=an+%C3%A4' } as const;
    expect((await suite.call({ ...remove, token: viewer })).status).to.equal(403);
    expect((await suite.call({ ...remove, token })).status).to.equal(204);
    expect((await suite.call({ ...remove, token })).status).to.equal(204);
    expect(await listed()).to.deep.equal([{ ...VIEW, query: 'q=b' }]);
  });

  it('are bounded in number and size', async () => {
    for (const [json, field, code] of [
      [{ ...VIEW, name: '' }, 'name', 'too_short'],
      [{ ...VIEW, name: 'x'.repeat(101) }, 'name', 'too_long'],
      [{ ...VIEW, query: 'x'.repeat(2_001) }, 'query', 'too_long'],
      [{ name: 'x' }, 'query', 'required'],
    ] as const) {
      expect((await save(json)).body.error.fields[0]).to.include({ field, code });
    }
    await suite.database.rows(
      `insert into asset_views (org_id, name, query)
       select $1, 'View ' || n, 'q=x' from generate_series(2, 49) n on conflict do nothing`,
      [orgId],
    );
    const answers = await Promise.all(['one', 'two', 'three'].map((name) => save({ ...VIEW, name })));
    expect(answers.map(({ status }) => status).toSorted()).to.deep.equal([204, 409, 409]);
    expect(await listed()).to.have.length(50);
    expect((await save({ ...VIEW, query: 'q=again' })).status).to.equal(204);
  });
});
