import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import pg from 'pg';
import type { AppError } from '../../../../base/errors.ts';
import { connectionConfig } from '../../../../db/timescale/connections/connection.ts';
import { databaseOn } from '../../../../db/timescale/connections/database.ts';
import { sweep } from '../../../../db/timescale/schema/retention.ts';
import { deleteOrganization } from '../../../../domain/administration/organizations/organizations.ts';
import { setDisabled } from '../../../../domain/administration/users/accounts/set-disabled.ts';
import { removeMembership, setRole } from '../../../../domain/administration/users/accounts/set-role.ts';
import { endSession } from '../../../../domain/administration/users/sessions/end-session.ts';
import {
  findSessions,
  listSessions,
  noteSessionUses,
} from '../../../../domain/administration/users/sessions/find-sessions.ts';
import { type SignedIn, signIn } from '../../../../domain/administration/users/sessions/sign-in.ts';
import { digestOfToken } from '../../../../domain/administration/users/tokens.ts';
import { TEST_ACTOR } from '../../../support/actor.ts';
import { useDatabase } from '../../../support/database.ts';
import { PASSWORD, PLACE, usePeople } from '../../../support/people.ts';
import { untilWaiting } from '../../../support/until-waiting.ts';

/** Seconds: twelve hours. */
const IDLE = 43_200;

describe('a session', () => {
  const database = useDatabase();
  const people = usePeople(database);
  let orgId: number;
  before(async () => {
    orgId = await people.organization();
  });
  const found = async ({ token }: SignedIn, idleSeconds = IDLE) => {
    const digest = digestOfToken(token) ?? '';
    return (await findSessions(people.db, [digest], idleSeconds)).get(digest);
  };
  const age = (session: SignedIn, ages: { began?: string; used?: string }) =>
    database.rows(
      `update sessions set began_at = began_at - $2::interval, ends_at = ends_at - $2::interval,
         used_at = now() - $3::interval where id = $1`,
      [session.sessionId, ages.began ?? '0', ages.used ?? '0'],
    );

  it('knows whose it is, and what that user may do where', async () => {
    const session = await people.user('ann@example.com', { orgId, role: 'operator' });
    expect(await found(session)).to.deep.include({
      id: session.sessionId,
      user_id: session.userId,
      email: 'ann@example.com',
      has_password: true,
      memberships: [{ org_id: orgId, organization: 'Own', role: 'operator', is_held: false }],
    });
  });

  it('ends when it was not used for as long as is allowed', async () => {
    const session = await people.user('idle@example.com');
    const isKnown = async (idleSeconds: number) => {
      const isListed = (await listSessions(people.db, session.userId, idleSeconds)).length === 1;
      expect((await found(session, idleSeconds)) !== undefined).to.equal(isListed);
      return isListed;
    };
    await age(session, { used: '14 minutes' });
    expect((await found(session, 900))?.seconds_left).to.be.within(1, 60);
    await age(session, { used: '15 minutes' });
    expect([await isKnown(900), await isKnown(IDLE)]).to.deep.equal([false, true]);
    await age(session, { used: '12 hours' });
    expect(await isKnown(IDLE)).to.equal(false);
  });

  it('leaves no trace of where it was a day after its end, and ends not for good by a clock that is ahead', async () => {
    const [kept, left, retired] = [
      await people.user('kept@example.com'),
      await people.user('left@example.com'),
      await people.user('retired@example.com'),
    ];
    const ids = [kept, left, retired].map(({ sessionId }) => sessionId);
    const stored = async () => {
      await sweep(database.pool, 30);
      const rows = await database.rows<{ id: number }>(
        'select id from sessions where id = any($1::bigint[]) order by id',
        [ids],
      );
      return rows.map(({ id }) => id);
    };
    await age(left, { used: '47 hours' });
    await age(retired, { began: '7 days 23 hours' });
    expect(await stored()).to.deep.equal(ids);
    expect(
      await Promise.all([kept, left, retired].map(async (each) => (await found(each))?.id)),
    ).to.deep.equal([kept.sessionId, undefined, undefined]);
    await age(left, { used: '1 hour' });
    expect(await found(left)).to.have.property('id', left.sessionId);
    await age(left, { used: '2 days' });
    await age(retired, { began: '1 hour' });
    expect(await stored()).to.deep.equal([kept.sessionId]);
  });

  it('ends after 7 days, however much it is used', async () => {
    const session = await people.user('busy@example.com');
    await age(session, { began: '6 days 23 hours 59 minutes' });
    expect((await found(session))?.seconds_left).to.be.within(1, 60);
    await age(session, { began: '1 minute' });
    expect(await found(session)).to.equal(undefined);
  });

  it('is prolonged by its use, which is written once a minute at most and never back', async () => {
    const session = await people.user('uses@example.com');
    const usedAgo = async () => {
      const [row] = await database.rows<{ ago: number }>(
        'select extract(epoch from now() - used_at)::integer as ago from sessions where id = $1',
        [session.sessionId],
      );
      return row?.ago;
    };
    const use = (secondsAgo: number) => noteSessionUses(people.db, [{ id: session.sessionId, secondsAgo }]);
    await age(session, { used: '50 seconds' });
    await use(0);
    expect(await usedAgo()).to.be.at.least(50);
    await age(session, { used: '11 hours' });
    await use(30);
    expect(await usedAgo()).to.be.within(30, 45);
    await use(3_000);
    expect(await usedAgo()).to.be.below(60);
  });

  it('ends when its owner ends it, and not by another user', async () => {
    const session = await people.user('owner@example.com');
    const other = await people.user('other@example.com');
    const end = (userId: number) =>
      endSession(people.db, TEST_ACTOR, { userId, sessionId: session.sessionId });
    const refused = await end(other.userId).catch((error: AppError) => error);
    expect(refused).to.include({ code: 'not_found' });
    expect(await found(session)).not.to.equal(undefined);
    await end(session.userId);
    expect(await found(session)).to.equal(undefined);
  });

  it('ends when its user is disabled, who cannot sign in until enabled again', async () => {
    const session = await people.user('gone@example.com', { orgId, role: 'viewer' });
    const { userId } = session;
    const again = () => signIn(people.db, { ...PLACE, email: 'gone@example.com', password: PASSWORD });
    await setDisabled(people.db, TEST_ACTOR, { userId, isDisabled: true, orgId });
    expect([await found(session), await again()]).to.deep.equal([undefined, null]);
    await setDisabled(people.db, TEST_ACTOR, { userId, isDisabled: false, orgId });
    expect(await found(session)).to.equal(undefined);
    expect(await again()).not.to.equal(null);
  });

  it('does not begin with a password that is replaced while it is compared', async () => {
    const { userId } = await people.user('race@example.com');
    const client = await database.pool.connect();
    await client.query('begin');
    await client.query(`update users set password = null where id = $1`, [userId]);
    const signingIn = signIn(people.db, { ...PLACE, email: 'race@example.com', password: PASSWORD });
    await untilWaiting(database, 1);
    await client.query('commit');
    client.release();
    expect(await signingIn).to.equal(null);
  });

  it('loses what its user may do with the role and the membership, and with the organization', async () => {
    const other = await people.organization('Another');
    const session = await people.user('roles@example.com', { orgId, role: 'operator' });
    const { userId } = session;
    // Joining by a role would end the session.
    await database.rows(`insert into memberships (user_id, org_id, role) values ($1, $2, 'admin')`, [
      userId,
      other,
    ]);
    const roles = async () => (await found(session))?.memberships.map(({ org_id, role }) => [org_id, role]);
    expect(await roles()).to.deep.equal([
      [orgId, 'operator'],
      [other, 'admin'],
    ]);
    await setRole(people.db, TEST_ACTOR, { userId, orgId, role: 'viewer' });
    expect((await roles())?.[0]).to.deep.equal([orgId, 'viewer']);
    await removeMembership(people.db, TEST_ACTOR, { userId, orgId });
    expect(await roles()).to.deep.equal([[other, 'admin']]);
    await deleteOrganization(databaseOn(database.pool), TEST_ACTOR, other);
    expect(await roles()).to.deep.equal([]);
  });

  it('is one of 50 of a user at most; the one unused for longest goes', async () => {
    const first = await people.user('many@example.com');
    await age(first, { used: '1 hour' });
    await database.rows(
      `insert into sessions (digest, user_id, ends_at, address, user_agent)
       select sha256(n::text::bytea), $1, now() + interval '1 day', '', '' from generate_series(1, 49) n`,
      [first.userId],
    );
    expect(await found(first)).not.to.equal(undefined);
    const last = await signIn(people.db, { ...PLACE, email: 'many@example.com', password: PASSWORD });
    expect(await found(first)).to.equal(undefined);
    expect(await listSessions(people.db, first.userId, IDLE)).to.have.length(50);
    expect((await listSessions(people.db, first.userId, IDLE))[0]?.id).to.equal(last?.sessionId);
  });

  it('is announced to every process when it or its user changes, and not when it is used or begun', async () => {
    const session = await people.user('heard@example.com', { orgId, role: 'operator' });
    const { userId, sessionId } = session;
    const listener = new pg.Client(connectionConfig(database.url));
    await listener.connect();
    await listener.query('listen access_changed');
    const heard: (string | undefined)[] = [];
    listener.on('notification', ({ payload }) => heard.push(payload));
    const isHeard = async (change: () => Promise<unknown>) => {
      heard.length = 0;
      await change();
      // Notifications arrive in the order of the commits.
      await listener.query(`select pg_notify('access_changed', 'end')`);
      while (!heard.includes('end')) {
        await setImmediate();
      }
      return heard.length > 1;
    };
    const member = { userId, orgId };
    expect(await isHeard(() => setRole(people.db, TEST_ACTOR, { ...member, role: 'viewer' }))).to.equal(true);
    expect(await isHeard(() => removeMembership(people.db, TEST_ACTOR, member))).to.equal(true);
    expect(await isHeard(() => endSession(people.db, TEST_ACTOR, { userId, sessionId }))).to.equal(true);
    const given = { ...PLACE, email: 'heard@example.com', password: PASSWORD };
    expect(await isHeard(() => signIn(people.db, given))).to.equal(false);
    await database.rows(`update sessions set used_at = now() - interval '1 hour'`);
    const uses = await database.rows<{ id: number }>('select id from sessions');
    const use = () =>
      noteSessionUses(
        people.db,
        uses.map(({ id }) => ({ id, secondsAgo: 0 })),
      );
    expect(await isHeard(use)).to.equal(false);
    await listener.end();
  });

  it('is kept as a digest, and what the browser says of itself as far as there is room', async () => {
    await people.user('agent@example.com');
    const signedIn = await signIn(people.db, {
      ...PLACE,
      email: 'agent@example.com',
      password: PASSWORD,
      userAgent: `\u0000\ud800${'x'.repeat(9_999)}`,
    });
    const [row] = await database.rows<{ text: string; user_agent: string }>(
      `select row_to_json(sessions)::text as text, user_agent from sessions where id = $1`,
      [signedIn?.sessionId],
    );
    expect(row?.user_agent).to.have.length(255);
    expect(row?.text).not.to.contain(signedIn?.token);
  });
});
