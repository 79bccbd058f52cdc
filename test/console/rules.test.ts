import { expect } from 'chai';
import { useConsole } from '../support/console.ts';

describe('rules in the console', () => {
  const suite = useConsole();

  it('tell viewers how many people they tell, and operators whom, as the change log does', async () => {
    await suite.people.user('anna@example.com', { orgId: suite.orgId, role: 'viewer' });
    const json = { kind: 'reader', name: 'Silent', mail_to: ['anna@example.com'] };
    const { id } = (await suite.call({ method: 'POST', path: '/rules', json })).body.data;
    const seen = async (role: 'viewer' | 'operator') => {
      const token = await suite.as(role);
      const [one, list, log] = await Promise.all(
        [`/rules/${id}`, '/rules', '/changes?resource_type=rule'].map((path) => suite.call({ path, token })),
      );
      return {
        one: [one?.body.data.mail_to, one?.body.data.mail_count],
        listed: [list?.body.data[0].mail_to, list?.body.data[0].mail_count],
        logged: [log?.body.data[0].after.mail_to, log?.body.data[0].after.name],
      };
    };
    const addresses = ['anna@example.com'];
    expect(await seen('operator')).to.deep.equal({
      ...{ one: [addresses, 1], listed: [addresses, 1], logged: [addresses, 'Silent'] },
    });
    expect(await seen('viewer')).to.deep.equal({
      ...{ one: [null, 1], listed: [null, 1], logged: [undefined, 'Silent'] },
    });
  });
});
