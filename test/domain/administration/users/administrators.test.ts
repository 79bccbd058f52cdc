import { expect } from 'chai';
import type { AppError } from '../../../../base/errors.ts';
import { setDisabled } from '../../../../domain/administration/users/accounts/set-disabled.ts';
import { removeMembership, setRole } from '../../../../domain/administration/users/accounts/set-role.ts';
import { listPageOfUsers, listUsers } from '../../../../domain/administration/users/list-users.ts';
import { TEST_ACTOR } from '../../../support/actor.ts';
import { useDatabase } from '../../../support/database.ts';
import { usePeople } from '../../../support/people.ts';

describe('the administrators of an organization', () => {
  const database = useDatabase();
  const people = usePeople(database);
  const refused = (promise: Promise<unknown>): Promise<AppError> =>
    promise.then(
      () => expect.fail('accepted'),
      (error: AppError) => error,
    );
  let count = 0;
  async function withAdministrators(most: 1 | 2) {
    count += 1;
    const orgId = await people.organization(`Organization ${count}`);
    const users: number[] = [];
    for (let each = 0; each < most; each++) {
      const { userId } = await people.user(`admin-${each}@${count}.example`, { orgId, role: 'admin' });
      users.push(userId);
    }
    return { orgId, first: users[0] ?? 0, second: users[1] ?? 0 };
  }
  const demote = (userId: number, orgId: number) =>
    setRole(people.db, TEST_ACTOR, { userId, orgId, role: 'viewer' });
  const remove = (userId: number, orgId: number) =>
    removeMembership(people.db, TEST_ACTOR, { userId, orgId });
  const disable = (userId: number, orgId: number) =>
    setDisabled(people.db, TEST_ACTOR, { userId, orgId, isDisabled: true });

  for (const [what, take] of [
    ['lose the role', demote],
    ['be removed', remove],
    ['be disabled', disable],
  ] as const) {
    it(`are never none: the last cannot ${what}, and is told what to do first`, async () => {
      const { orgId, first } = await withAdministrators(1);
      const error = await refused(take(first, orgId));
      expect(error.code).to.equal('conflict');
      expect(error.message)
        .to.contain(`cannot ${what}`)
        .and.contain('make another user an administrator first');
      const { userId: other } = await people.user(`other@${count}.example`, { orgId, role: 'viewer' });
      await setRole(people.db, TEST_ACTOR, { userId: other, orgId, role: 'admin' });
      await take(first, orgId);
    });
  }

  it('are never none when two take it from each other at once, in whatever way', async () => {
    for (const [one, other] of [
      [demote, demote],
      [disable, disable],
      [remove, disable],
    ] as const) {
      const { orgId, first, second } = await withAdministrators(2);
      const outcomes = await Promise.allSettled([one(first, orgId), other(second, orgId)]);
      expect(outcomes.map(({ status }) => status).sort()).to.deep.equal(['fulfilled', 'rejected']);
      const left = (await listUsers(people.db, orgId)).filter(
        ({ is_disabled, memberships }) => !is_disabled && memberships[0]?.role === 'admin',
      );
      expect(left).to.have.length(1);
    }
  });

  it('one who is disabled does not count', async () => {
    const { orgId, first, second } = await withAdministrators(2);
    await disable(second, orgId);
    expect((await refused(demote(first, orgId))).code).to.equal('conflict');
  });

  it('see their own members, and of those nothing from elsewhere', async () => {
    const { orgId, first } = await withAdministrators(2);
    const other = await people.organization('Elsewhere');
    await setRole(people.db, TEST_ACTOR, { userId: first, orgId: other, role: 'viewer', mayJoin: true });
    const page = await listPageOfUsers(people.db, orgId, { limit: 1, offset: 0 });
    expect(page.totalCount).to.equal(2);
    expect(page.rows.map(({ id, memberships }) => [id, memberships])).to.deep.equal([
      [first, [{ org_id: orgId, role: 'admin' }]],
    ]);
    expect(await listPageOfUsers(people.db, orgId, { limit: 5, offset: 9 })).to.deep.include({
      rows: [],
      totalCount: 2,
    });
    const error = await refused(disable(first, orgId));
    expect(error.code).to.equal('forbidden');
    const stranger = await people.user('stranger@example.com', { orgId: other, role: 'viewer' });
    for (const act of [disable, demote, remove]) {
      expect((await refused(act(stranger.userId, orgId))).code).to.equal('not_found');
    }
  });
});
