import { expect } from 'chai';
import { useConsole } from '../support/console.ts';

describe('lists of what is set up in the console', () => {
  const suite = useConsole();
  const { call } = suite;
  const COUNT = 5;

  const lists: Record<string, { path: () => string; add(n: number): Promise<unknown> }> = {
    handhelds: {
      path: () => '/handhelds',
      add: (n) => call({ method: 'POST', path: '/handhelds', json: { name: `Gun ${n}` } }),
    },
    invitations: {
      path: () => '/invitations',
      add: (n) =>
        call({ method: 'POST', path: '/invitations', json: { email: `n${n}@example.com`, role: 'viewer' } }),
    },
    'API keys': {
      path: () => `/orgs/${suite.orgId}/api-keys`,
      add: (n) =>
        call({
          method: 'POST',
          path: `/orgs/${suite.orgId}/api-keys`,
          json: { name: `Key ${n}`, scopes: [] },
        }),
    },
    users: {
      path: () => '/users',
      // The suite's own administrator is the first.
      add: (n) => (n === 1 ? Promise.resolve() : suite.as('viewer')),
    },
  };

  for (const [what, { path, add }] of Object.entries(lists)) {
    it(`have each of the ${what} on one page, and say how many there are on all`, async () => {
      for (let n = 1; n <= COUNT; n++) {
        await add(n);
      }
      const whole = (await call({ path: path() })).body;
      expect(whole).to.include({ limit: 50, offset: 0, total_count: COUNT });
      const ids = whole.data.map(({ id }: { id: number | string }) => id);
      expect(new Set(ids).size).to.equal(COUNT);

      const seen = [];
      for (const offset of [0, 2, 4, 6]) {
        const page = (await call({ path: `${path()}?limit=2&offset=${offset}` })).body;
        expect(page).to.include({ limit: 2, offset, total_count: COUNT });
        seen.push(...page.data.map(({ id }: { id: number | string }) => id));
      }
      expect(seen).to.deep.equal(ids);
      const refused = await call({ path: `${path()}?limit=201` });
      expect([refused.status, refused.body.error.fields[0].field]).to.deep.equal([400, 'limit']);
    });
  }
});
