import { expect } from 'chai';
import { ulid } from 'ulid';
import { databaseOn } from '../../db/timescale/connections/database.ts';
import { removeMembership, setRole } from '../../domain/administration/users/accounts/set-role.ts';
import { acceptLink } from '../../domain/administration/users/links/accept-link.ts';
import { invite, makeResetLink } from '../../domain/administration/users/links/make-link.ts';
import { signInByProvider } from '../../domain/administration/users/provider/sign-in-by-provider.ts';
import { signIn } from '../../domain/administration/users/sessions/sign-in.ts';
import { acknowledgeAlert } from '../../domain/alerts/acknowledge-alert.ts';
import { changeRule } from '../../domain/alerts/rules/change-rule.ts';
import { createRule } from '../../domain/alerts/rules/create-rule.ts';
import { TEST_ACTOR } from '../support/actor.ts';
import { commandLineOn } from '../support/command-line.ts';
import { useDatabase } from '../support/database.ts';
import { PASSWORD, PLACE, usePeople } from '../support/people.ts';
import { personalColumns } from '../support/personal-data.ts';
import { Site } from '../support/site.ts';

const EMAIL = 'eve.unmistakable@example.com';
const NAME = 'Eve Unmistakable';
const ADDRESS = '203.0.113.77';
const SUBJECT = 'subject-unmistakable';
const SAID = [EMAIL, NAME, ADDRESS, SUBJECT];

describe('erasing a person', () => {
  const database = useDatabase();
  const people = usePeople(database);
  const { tagtrail, json, fails } = commandLineOn(() => database);
  const erase = ['user', 'erase', '--email', EMAIL];
  let site: Site;
  let eve: number;

  before(async () => {
    site = await Site.create(database);
    const other = await people.organization('Other');
    const { orgId } = site;
    await people.user('ann@example.com', { orgId, role: 'admin' });
    await invite(people.db, TEST_ACTOR, { orgId, email: EMAIL, role: 'viewer' });
    eve = (await people.user(EMAIL, { orgId, role: 'admin' })).userId;
    await database.rows('update users set name = $2 where id = $1', [eve, NAME]);
    await setRole(people.db, TEST_ACTOR, { userId: eve, orgId: other, role: 'viewer', mayJoin: true });
    const { token } = await makeResetLink(people.db, TEST_ACTOR, { userId: eve, orgId: null });
    await acceptLink(people.db, { ...PLACE, token, password: PASSWORD });
    await signIn(people.db, { ...PLACE, address: ADDRESS, email: EMAIL, password: PASSWORD });
    const identity = { issuer: `https://${SUBJECT}.example.com`, subject: SUBJECT, email: EMAIL, name: NAME };
    await signInByProvider(
      people.db,
      { ...identity, isEmailVerified: true, roles: new Map(), missingClaim: null },
      { address: ADDRESS, userAgent: `browser of ${NAME}`, requestId: 'request' },
    );
    await invite(
      people.db,
      { type: 'user', id: String(eve), requestId: 'request' },
      { orgId, email: 'friend@example.com', role: 'viewer' },
    );
    const owner = databaseOn(database.pool);
    const hall = await site.location('HALL');
    const mailTo = ['ann@example.com', EMAIL];
    const rule = await createRule(owner, TEST_ACTOR, Date.now() * 1_000, {
      ...{ orgId, kind: 'not_allowed', name: 'Tools', locationExternalKey: 'HALL', mailTo },
    });
    const alert = ulid();
    await database.rows(
      `insert into alerts (org_id, id, rule_id, rule_valid_from, rule_name, kind, asset_id, location_id, opened_at)
       values ($1, $2, $3, now(), 'Tools', 'not_allowed', $4, $5, now())`,
      [orgId, alert, rule.id, await site.asset('DRILL'), hall],
    );
    const actor = { type: 'user', id: String(eve), requestId: 'request' } as const;
    await acknowledgeAlert(owner, actor, { orgId, id: alert }, NAME);
    const reopened = ulid();
    await database.rows(
      `insert into alerts (org_id, id, rule_id, rule_valid_from, rule_name, kind, asset_id, location_id, opened_at)
       select org_id, $3, rule_id, rule_valid_from, rule_name, kind, $4, location_id, opened_at from alerts
       where org_id = $1 and id = $2`,
      [orgId, alert, reopened, await site.asset('SAW')],
    );
    await acknowledgeAlert(owner, actor, { orgId, id: reopened }, NAME);
    await database.rows(`update alerts set state = 'open', acknowledged_by = null where id = $1`, [reopened]);
    await acknowledgeAlert(owner, TEST_ACTOR, { orgId, id: reopened }, 'Ann');
    await database.rows(
      'insert into alert_mail_recipients (org_id, user_id, position, error) values ($1, $2, 0, $4), ($3, $2, 0, $4)',
      [orgId, eve, other, `no mailbox ${EMAIL}`],
    );
    await changeRule(
      owner,
      TEST_ACTOR,
      Date.now() * 1_000,
      { orgId, id: rule.id },
      { mailTo: ['ann@example.com'], validFrom: null },
    );
    await database.rows(
      `insert into refused_sign_ins (period, kind, name, count, last_at, address) values (now(), 'user', $1, 1, now(), $2)`,
      [String(eve), ADDRESS],
    );
    await removeMembership(people.db, TEST_ACTOR, { userId: eve, orgId: other });
  });

  /** Columns with a value in which one of them is said; but those of events, which end by themselves. */
  async function columnsThatSay(...said: string[]): Promise<string[]> {
    const tables = await database.rows<{ name: string }>(
      `select relname::text as name from pg_class
       where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and relname !~ 'moves$' order by 1`,
    );
    const found = await Promise.all(
      tables.map(({ name }) =>
        database.rows<{ name: string }>(
          `select distinct $2 || '.' || field.key as name from ${name} each, jsonb_each_text(to_jsonb(each)) field
           where each::text ~ any($1::text[]) and field.value ~ any($1::text[])`,
          [said, name],
        ),
      ),
    );
    return found.flat().map(({ name }) => name);
  }

  it('deletes the recipient of alerts with the membership', async () => {
    expect(
      await database.rows('select org_id from alert_mail_recipients where user_id = $1', [eve]),
    ).to.deep.equal([{ org_id: site.orgId }]);
  });

  it('shows first whom it would erase, and keeps the last administrator', async () => {
    expect(await json(...erase)).to.deep.equal({
      ...{ id: eve, email: EMAIL, name: NAME, is_erased: false, organizations: [site.orgId] },
    });
    expect((await tagtrail(...erase)).stdout).to.include('Nothing is erased yet; give --confirm');
    await database.rows(`update memberships set role = 'viewer' where user_id <> $1`, [eve]);
    await fails(1, 'is the last administrator', ...erase, '--confirm');
    await database.rows(`update memberships set role = 'admin' where user_id <> $1`, [eve]);
  });

  it('has something to erase in every column that the page of personal data says names people', async () => {
    const named = personalColumns()
      .filter(({ whenErased }) => !whenErased.startsWith('stays'))
      .map(({ name }) => name)
      // Numbers, words and digests.
      .filter((name) => !/(?:_id|made_by|\.role|\.kind|digest|password|sign_ins\.name)$/.test(name));
    expect(await columnsThatSay(...SAID)).to.have.members(named);
  });

  it('leaves nothing that names the person, and what was done as of a user with that id', async () => {
    const count = async () =>
      (await database.rows<{ count: number }>('select count(*)::integer as count from changes'))[0]?.count ??
      0;
    const before = await count();
    const erased = await json(...erase, '--confirm');
    expect(erased).to.include({ id: eve, is_erased: true });
    expect(erased.deleted).to.deep.include.members([
      { name: 'memberships', rows: 1 },
      { name: 'alert_mail_recipients', rows: 1 },
      { name: 'refused_sign_ins', rows: 1 },
      { name: 'users', rows: 1 },
    ]);
    expect(await columnsThatSay(...SAID)).to.deep.equal([]);
    expect(await count()).to.equal(before + 1);
    expect(await database.rows('select distinct mail_to from rules')).to.deep.equal([
      { mail_to: ['ann@example.com'] },
    ]);
    expect(await database.rows('select acknowledged_by as by from alerts order by asset_id')).to.deep.equal([
      { by: null },
      { by: 'Ann' },
    ]);
    const [acknowledged] = await database.rows(
      `select actor_id, resource_type from changes where action = 'acknowledge' and org_id = $1`,
      [site.orgId],
    );
    expect(acknowledged).to.deep.equal({ actor_id: String(eve), resource_type: 'alert' });
    const [last] = await json('changes', 'list', '--org', String(site.orgId));
    expect(last).to.deep.include({
      ...{ action: 'erase', before: null, after: null },
      resource: { type: 'user', id: String(eve), external_key: null },
    });
    await fails(1, `User ${EMAIL} not found`, ...erase, '--confirm');
  });
});
