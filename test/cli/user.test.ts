import { expect } from 'chai';
import { acceptLink } from '../../domain/administration/users/links/accept-link.ts';
import { findSessions } from '../../domain/administration/users/sessions/find-sessions.ts';
import { signIn } from '../../domain/administration/users/sessions/sign-in.ts';
import { digestOfToken } from '../../domain/administration/users/tokens.ts';
import { commandLineOn } from '../support/command-line.ts';
import { useDatabase } from '../support/database.ts';
import { PASSWORD, PLACE, usePeople } from '../support/people.ts';
import { Site } from '../support/site.ts';

describe('the command line for users', () => {
  const database = useDatabase();
  const people = usePeople(database);
  const { tagtrail, json, fails } = commandLineOn(() => database, {
    CONSOLE_URL: 'https://tracking.example.com',
  });
  let org: string;
  before(async () => {
    org = String((await Site.create(database)).orgId);
  });
  const tokenIn = (link: string) =>
    /^https:\/\/tracking\.example\.com\/#\/link\/([\w-]{43})$/.exec(link)?.[1] ?? '';

  it('makes a user, who chooses a password by the link and signs in with it', async () => {
    const made = await json(
      ...['user', 'create', '--email', 'Ann@Example.com', '--name', 'Ann', '--org', org, '--role', 'admin'],
    );
    expect(made).to.have.all.keys('id', 'email', 'name', 'link', 'expires_at');
    expect(made).to.include({ email: 'ann@example.com', name: 'Ann' });
    await acceptLink(people.db, { ...PLACE, token: tokenIn(made.link), password: PASSWORD });
    const session = await signIn(people.db, { ...PLACE, email: 'ann@example.com', password: PASSWORD });
    expect(session?.userId).to.equal(made.id);
    const [listed] = await json('user', 'list', '--org', org);
    expect(listed).to.deep.include({
      email: 'ann@example.com',
      is_disabled: false,
      has_password: true,
      memberships: [{ org_id: Number(org), role: 'admin' }],
    });
  });

  it('prints a link for people, with the time until which it is good', async () => {
    const { stdout } = await tagtrail(
      ...['user', 'invite', '--org', org, '--email', 'bob@example.com', '--role', 'viewer'],
    );
    expect(stdout).to.match(
      /^An invitation for bob@example\.com as viewer, valid once and until \S+Z, shown only now:\nhttps:\S+\n$/,
    );
    await acceptLink(people.db, {
      ...PLACE,
      token: tokenIn(stdout.split('\n')[1] ?? ''),
      name: 'Bob',
      password: PASSWORD,
    });
    const { stdout: list } = await tagtrail('user', 'list', '--org', org);
    expect(list).to.match(/\d+ +bob@example\.com +Bob +\d+: viewer +enabled/);
  });

  it('gives a role to somebody, and not to whoever made an account with that address before', async () => {
    const email = 'ceo@victim.example.com';
    const elsewhere = await people.organization('Elsewhere');
    const squatter = await people.user(email, { orgId: elsewhere, role: 'viewer' });
    const given = ['--org', org, '--email', email, '--role', 'admin'];
    const made = await json('user', 'role', ...given);
    expect(made).to.include({ id: squatter.userId, email, role: 'admin', org_id: Number(org) });
    const digest = digestOfToken(squatter.token) ?? '';
    expect((await findSessions(people.db, [digest], 3_600)).size).to.equal(0);
    expect(await signIn(people.db, { ...PLACE, email, password: PASSWORD })).to.equal(null);
    const chosen = 'nine ferries in thin fog';
    await acceptLink(people.db, { ...PLACE, token: tokenIn(made.link), password: chosen });
    expect(await signIn(people.db, { ...PLACE, email, password: chosen })).not.to.equal(null);

    // A member's other role ends nothing.
    const other = await json('user', 'role', '--org', org, '--email', email, '--role', 'operator');
    expect(other).to.have.all.keys('id', 'email', 'role', 'org_id');
    expect(await signIn(people.db, { ...PLACE, email, password: chosen })).not.to.equal(null);
  });

  it('gives and takes roles, disables and enables, and says what is so now', async () => {
    const said = async (...args: string[]) => (await tagtrail('user', ...args)).stdout.trim();
    await json('user', 'create', '--email', 'cid@example.com', '--name', 'Cid');
    const cid = ['--email', 'CID@example.com'];
    const member = ['--org', org, ...cid];
    expect(await said('role', ...member, '--role', 'operator')).to.match(
      new RegExp(
        `^User cid@example.com is operator of organization ${org}; a link to choose a password, valid once and until `,
      ),
    );
    expect(await said('role', ...member, '--role', 'viewer')).to.equal(
      `User cid@example.com is viewer of organization ${org}`,
    );
    expect(await said('disable', ...cid)).to.equal('User cid@example.com is disabled');
    await fails(1, 'cid@example.com is disabled; enable the user first', 'user', 'reset', ...cid);
    expect(await said('enable', ...cid)).to.equal('User cid@example.com is enabled');
    expect((await json('user', 'reset', ...cid)).link).to.match(/\/#\/link\//);
    expect(await said('remove', ...member)).to.equal(
      `User cid@example.com is no longer a member of organization ${org}`,
    );
  });

  it('says what is wrong, and what to do first', async () => {
    await fails(1, 'User nobody@example.com not found', 'user', 'disable', '--email', 'nobody@example.com');
    const ann = ['--email', 'ann@example.com'];
    await fails(1, 'make another user an administrator first', 'user', 'remove', '--org', org, ...ann);
    await fails(1, 'There is a user ann@example.com already', 'user', 'create', ...ann, '--name', 'Ann');
    await fails(
      1,
      'ann@example.com is a member of organization',
      ...['user', 'invite', '--org', org, ...ann, '--role', 'admin'],
    );
    await fails(2, 'looks like name@example.com', 'user', 'create', '--email', 'ann', '--name', 'Ann');
    await fails(2, 'It must be one of viewer, operator, admin', 'user', 'invite', '--role', 'owner');
    await fails(
      2,
      '--org and --role belong together',
      ...['user', 'create', '--email', 'x@example.com', '--name', 'X', '--org', org],
    );
  });
});
