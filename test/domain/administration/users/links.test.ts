import { expect } from 'chai';
import type { AppError } from '../../../../base/errors.ts';
import { setDisabled } from '../../../../domain/administration/users/accounts/set-disabled.ts';
import { removeMembership, setRole } from '../../../../domain/administration/users/accounts/set-role.ts';
import { acceptLink } from '../../../../domain/administration/users/links/accept-link.ts';
import {
  listInvitations,
  withdrawInvitation,
} from '../../../../domain/administration/users/links/invitations.ts';
import {
  invite,
  makeFirstLink,
  makeResetLink,
  makeSignInLink,
} from '../../../../domain/administration/users/links/make-link.ts';
import { LinkGone, lookAtLink } from '../../../../domain/administration/users/links/open-link.ts';
import { listUsers } from '../../../../domain/administration/users/list-users.ts';
import { findSessions } from '../../../../domain/administration/users/sessions/find-sessions.ts';
import { signIn } from '../../../../domain/administration/users/sessions/sign-in.ts';
import { digestOfToken, newToken } from '../../../../domain/administration/users/tokens.ts';
import { UserFault } from '../../../../domain/administration/users/user-fields.ts';
import { TEST_ACTOR } from '../../../support/actor.ts';
import { useDatabase } from '../../../support/database.ts';
import { PASSWORD, PLACE, usePeople } from '../../../support/people.ts';

const PAGE = { limit: 50, offset: 0 };

/** What somebody chooses who joins another organization. */
const OWN_PASSWORD = 'nine ferries in thin fog';

describe('links for people', () => {
  const database = useDatabase();
  const people = usePeople(database);
  let orgId: number;
  before(async () => {
    orgId = await people.organization();
  });
  const refused = (promise: Promise<unknown>): Promise<AppError> =>
    promise.then(
      () => expect.fail('accepted'),
      (error: AppError) => error,
    );
  const rolesOf = async (email: string) =>
    (await listUsers(people.db, null)).find((user) => user.email === email)?.memberships;
  const memberOf = async (token: string) =>
    (await findSessions(people.db, [digestOfToken(token) ?? ''], 43_200)).get(digestOfToken(token) ?? '');

  it('the first makes the first administrator, signed in, and is good once', async () => {
    const { token } = await makeFirstLink(people.db, TEST_ACTOR, orgId);
    expect(await lookAtLink(people.db, token)).to.include({ purpose: 'first', role: 'admin', email: null });
    const given = { ...PLACE, token, email: ' Ann@Example.com', name: 'Ann', password: PASSWORD };
    const session = await acceptLink(people.db, given);
    expect(await memberOf(session.token)).to.deep.include({
      email: 'ann@example.com',
      memberships: [{ org_id: orgId, organization: 'Own', role: 'admin', is_held: false }],
    });
    expect(await refused(acceptLink(people.db, { ...given, email: 'eve@example.com' }))).to.be.instanceOf(
      LinkGone,
    );
  });

  it('one made before is good no more, nor is one for an organization with an administrator', async () => {
    const other = await people.organization('Another');
    const early = await makeFirstLink(people.db, TEST_ACTOR, other);
    const late = await makeFirstLink(people.db, TEST_ACTOR, other);
    const given = { ...PLACE, email: 'early@example.com', name: 'Early', password: PASSWORD };
    expect(await refused(acceptLink(people.db, { ...given, token: early.token }))).to.be.instanceOf(LinkGone);
    await people.user('admin@example.com', { orgId: other, role: 'admin' });
    expect((await refused(acceptLink(people.db, { ...given, token: late.token }))).message).to.match(
      /has an administrator already/,
    );
    expect(await rolesOf('early@example.com')).to.equal(undefined);
  });

  it('of two who use one at once, one is let in and the other told that it was used', async () => {
    const { token } = await invite(people.db, TEST_ACTOR, {
      orgId,
      email: 'two@example.com',
      role: 'viewer',
    });
    const given = { ...PLACE, token, name: 'Two', password: PASSWORD };
    const outcomes = await Promise.allSettled([
      acceptLink(people.db, given),
      acceptLink(people.db, { ...given, address: '127.0.0.2' }),
    ]);
    expect(outcomes.map(({ status }) => status).sort()).to.deep.equal(['fulfilled', 'rejected']);
    const lost = outcomes.find((outcome) => outcome.status === 'rejected');
    expect(lost?.reason).to.be.instanceOf(LinkGone);
    expect(await database.rows(`select from users where email = 'two@example.com'`)).to.have.length(1);
  });

  it('an invitation says for whom and what it is, and makes that member whatever is sent with it', async () => {
    const { token } = await invite(people.db, TEST_ACTOR, {
      orgId,
      email: 'Bob@example.com',
      role: 'viewer',
    });
    expect(await lookAtLink(people.db, token)).to.include({
      purpose: 'invite',
      organization: 'Own',
      role: 'viewer',
      email: 'bob@example.com',
    });
    await acceptLink(people.db, {
      ...PLACE,
      token,
      email: 'eve@example.com',
      name: 'Bob',
      password: PASSWORD,
    });
    expect(await rolesOf('bob@example.com')).to.deep.equal([{ org_id: orgId, role: 'viewer' }]);
    expect(await rolesOf('eve@example.com')).to.equal(undefined);
  });

  it('what is missing or refused is named, and the link stays good', async () => {
    const { token } = await invite(people.db, TEST_ACTOR, {
      orgId,
      email: 'cid@example.com',
      role: 'operator',
    });
    const without = await refused(acceptLink(people.db, { ...PLACE, token, password: PASSWORD }));
    expect(without).to.be.instanceOf(UserFault).and.include({ field: 'name' });
    const short = await refused(acceptLink(people.db, { ...PLACE, token, name: 'Cid', password: 'short' }));
    expect(short).to.be.instanceOf(UserFault).and.include({ field: 'password' });
    await acceptLink(people.db, { ...PLACE, token, name: 'Cid', password: PASSWORD });
  });

  it('who is a user already joins by the own password or session, not by having the link', async () => {
    const other = await people.organization('Second');
    const dan = await people.user('dan@example.com', { orgId, role: 'viewer' });
    const invited = () =>
      invite(people.db, TEST_ACTOR, { orgId: other, email: 'dan@example.com', role: 'admin' });
    const { token } = await invited();
    for (const password of [undefined, 'another long password']) {
      const given = { ...PLACE, token, name: 'Dan', ...(password && { password }) };
      expect(await refused(acceptLink(people.db, given))).to.be.instanceOf(UserFault);
    }
    expect(await rolesOf('dan@example.com')).to.have.length(1);
    const { userId } = await acceptLink(people.db, {
      ...{ ...PLACE, token, userId: dan.userId, newPassword: OWN_PASSWORD },
    });
    expect(userId).to.equal(dan.userId);
    expect(await rolesOf('dan@example.com')).to.have.length(2);
  });

  it('who made an account for somebody else does not come along where that person is invited', async () => {
    const [first, second] = [await people.organization('First'), await people.organization('Next')];
    const email = 'squatted@example.com';
    const own = await invite(people.db, TEST_ACTOR, { orgId: first, email, role: 'viewer' });
    const squatter = await acceptLink(people.db, {
      ...{ ...PLACE, token: own.token, name: 'Squatted', password: PASSWORD },
    });
    const { token } = await invite(people.db, TEST_ACTOR, { orgId: second, email, role: 'admin' });
    for (const newPassword of [undefined, 'short', PASSWORD]) {
      for (const self of [{ password: PASSWORD }, { userId: squatter.userId }]) {
        const given = { ...PLACE, ...self, token, name: 'Next', ...(newPassword && { newPassword }) };
        const isNew = newPassword === undefined && 'password' in self;
        expect(await refused(acceptLink(people.db, given))).to.include({
          field: isNew ? 'password' : 'new_password',
        });
      }
    }
    const given = { ...PLACE, token, password: PASSWORD, newPassword: OWN_PASSWORD };
    const { token: session } = await acceptLink(people.db, given);
    expect((await memberOf(session))?.memberships).to.have.length(2);
    expect(await memberOf(squatter.token)).to.equal(undefined);
    expect(await signIn(people.db, { ...PLACE, email, password: PASSWORD })).to.equal(null);
    expect(await signIn(people.db, { ...PLACE, email, password: OWN_PASSWORD })).not.to.equal(null);
  });

  it('an invitation is replaced by the next, and can be listed and withdrawn', async () => {
    const third = await people.organization('Third');
    const asked = { orgId: third, email: 'fay@example.com', role: 'viewer' as const };
    const early = await invite(people.db, TEST_ACTOR, asked);
    const late = await invite(people.db, TEST_ACTOR, { ...asked, role: 'operator' });
    expect(
      (await listInvitations(people.db, third, PAGE)).rows.map(({ id, role }) => [id, role]),
    ).to.deep.equal([[late.id, 'operator']]);
    expect(await refused(lookAtLink(people.db, early.token))).to.be.instanceOf(LinkGone);
    const elsewhere = { orgId, id: late.id };
    expect((await refused(withdrawInvitation(people.db, TEST_ACTOR, elsewhere))).code).to.equal('not_found');
    await withdrawInvitation(people.db, TEST_ACTOR, { orgId: third, id: late.id });
    expect(await refused(lookAtLink(people.db, late.token))).to.be.instanceOf(LinkGone);
  });

  it('a new password ends every session, and one who may reset it is of no other organization', async () => {
    const other = await people.organization('Fourth');
    const gil = await people.user('gil@example.com', { orgId: other, role: 'viewer' });
    const { token } = await makeResetLink(people.db, TEST_ACTOR, { userId: gil.userId, orgId: other });
    const session = await acceptLink(people.db, { ...PLACE, token, password: 'quite another pier' });
    expect(await memberOf(gil.token)).to.equal(undefined);
    expect(await memberOf(session.token)).to.include({ email: 'gil@example.com' });
    const old = { ...PLACE, email: 'gil@example.com', password: PASSWORD };
    expect(await signIn(people.db, old)).to.equal(null);
    expect(await signIn(people.db, { ...old, password: 'quite another pier' })).not.to.equal(null);

    await people.user('two-places@example.com', { orgId: other, role: 'viewer' });
    const invited = await invite(people.db, TEST_ACTOR, {
      orgId,
      email: 'two-places@example.com',
      role: 'viewer',
    });
    const { userId } = await acceptLink(people.db, {
      ...{ ...PLACE, token: invited.token, password: PASSWORD, newPassword: OWN_PASSWORD },
    });
    const asked = await refused(makeResetLink(people.db, TEST_ACTOR, { userId, orgId: other }));
    expect(asked.code).to.equal('forbidden');
    expect(asked.message).to.match(/member of other organizations.*command line/);
    const stranger = await refused(makeResetLink(people.db, TEST_ACTOR, { userId: gil.userId, orgId }));
    expect(stranger.code).to.equal('not_found');
  });

  it('one to set a password is good no more once its user is a member of another organization too', async () => {
    const [own, other] = [await people.organization('Sixth'), await people.organization('Seventh')];
    const joining = { orgId: other, role: 'admin', mayJoin: true } as const;
    const acceptAsOneself = async (userId: number) => {
      const asked = { orgId: other, email: 'jon@example.com', role: 'admin' } as const;
      const { token } = await invite(people.db, TEST_ACTOR, asked);
      await acceptLink(people.db, { ...PLACE, token, userId, newPassword: OWN_PASSWORD });
    };
    for (const [email, join, password] of [
      ['ida@example.com', (userId: number) => setRole(people.db, TEST_ACTOR, { ...joining, userId }), null],
      ['jon@example.com', acceptAsOneself, OWN_PASSWORD],
    ] as const) {
      const { userId } = await people.user(email, { orgId: own, role: 'viewer' });
      const { token } = await makeResetLink(people.db, TEST_ACTOR, { userId, orgId: own });
      await join(userId);
      const kept = { ...PLACE, token, password: 'quite another pier' };
      expect(await refused(acceptLink(people.db, kept))).to.be.instanceOf(LinkGone);
      if (password !== null) {
        expect(await signIn(people.db, { ...PLACE, email, password })).not.to.equal(null);
      }
    }
  });

  it('one of somebody who does not administer the organization any more is good no more', async () => {
    const own = await people.organization('Eighth');
    await people.user('stays@example.com', { orgId: own, role: 'admin' });
    const kim = await people.user('kim@example.com', { orgId: own, role: 'viewer' });
    for (const way of ['removeMembership', 'setDisabled', 'setRole'] as const) {
      const { userId } = await people.user(`${way.toLowerCase()}@example.com`, { orgId: own, role: 'admin' });
      const actor = { type: 'user', id: String(userId), requestId: 'any' } as const;
      const asked = { orgId: own, email: `second-${way.toLowerCase()}@example.com`, role: 'admin' } as const;
      const links = [
        await invite(people.db, actor, asked),
        await makeResetLink(people.db, actor, { userId: kim.userId, orgId: own }),
      ];
      expect((await listInvitations(people.db, own, PAGE)).rows.map(({ email }) => email)).to.deep.equal([
        asked.email,
      ]);
      expect(await lookAtLink(people.db, links[1]?.token ?? '')).to.include({ purpose: 'reset' });
      await {
        removeMembership: () => removeMembership(people.db, TEST_ACTOR, { userId, orgId: own }),
        setDisabled: () => setDisabled(people.db, TEST_ACTOR, { userId, isDisabled: true, orgId: null }),
        setRole: () => setRole(people.db, TEST_ACTOR, { userId, orgId: own, role: 'operator' }),
      }[way]();
      for (const { token } of links) {
        const given = { ...PLACE, token, name: 'Anybody', password: 'quite another pier' };
        expect(await refused(acceptLink(people.db, given))).to.be.instanceOf(LinkGone);
      }
      expect((await listInvitations(people.db, own, PAGE)).rows).to.deep.equal([]);
    }
  });

  it('one that signs in does nothing else, and not for who is disabled meanwhile', async () => {
    const hal = await people.user('hal@example.com');
    const { token } = await makeSignInLink(people.db, TEST_ACTOR, hal.userId);
    const session = await acceptLink(people.db, { ...PLACE, token });
    expect(await memberOf(session.token)).to.include({ email: 'hal@example.com' });
    const next = await makeSignInLink(people.db, TEST_ACTOR, hal.userId);
    await setDisabled(people.db, TEST_ACTOR, { userId: hal.userId, isDisabled: true, orgId: null });
    expect(await refused(acceptLink(people.db, { ...PLACE, token: next.token }))).to.be.instanceOf(LinkGone);
    const more = await refused(makeSignInLink(people.db, TEST_ACTOR, hal.userId));
    expect(more.message).to.match(/is disabled; enable the user first/);
  });

  it('an expired one, a made-up one and none at all are answered alike', async () => {
    const { token, id } = await makeFirstLink(people.db, TEST_ACTOR, await people.organization('Fifth'));
    await database.rows(`update user_links set expires_at = now() where id = $1`, [id]);
    for (const each of [token, newToken().token, '', '\u0000'.repeat(43)]) {
      expect(await refused(lookAtLink(people.db, each))).to.be.instanceOf(LinkGone);
    }
  });

  it('no token is stored, only its digest', async () => {
    const { token } = await makeFirstLink(people.db, TEST_ACTOR, orgId);
    const stored = await database.rows('select row_to_json(user_links)::text as text from user_links');
    expect(JSON.stringify(stored)).not.to.contain(token);
    expect(JSON.stringify(stored)).to.contain(digestOfToken(token));
  });
});
