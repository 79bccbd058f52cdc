import { expect } from 'chai';
import { changePassword } from '../../../../domain/administration/users/accounts/change-password.ts';
import { acceptLink } from '../../../../domain/administration/users/links/accept-link.ts';
import { makeResetLink } from '../../../../domain/administration/users/links/make-link.ts';
import { hashPassword, isPassword } from '../../../../domain/administration/users/passwords/argon2.ts';
import { requirePassword } from '../../../../domain/administration/users/passwords/require-password.ts';
import { signIn } from '../../../../domain/administration/users/sessions/sign-in.ts';
import { UserFault } from '../../../../domain/administration/users/user-fields.ts';
import { TEST_ACTOR } from '../../../support/actor.ts';
import { useDatabase } from '../../../support/database.ts';
import { PASSWORD, PLACE, usePeople } from '../../../support/people.ts';

describe('passwords', () => {
  const database = useDatabase();
  const people = usePeople(database);
  /** Whose password the product has hashed. */
  const byLink = async (email: string) => {
    const { userId } = await people.user(email);
    const { token } = await makeResetLink(people.db, TEST_ACTOR, { userId, orgId: null });
    return acceptLink(people.db, { ...PLACE, token, password: PASSWORD });
  };
  const faultOf = (password: string) =>
    requirePassword(password, 'margarethe@example.com').then(
      () => null,
      (error: UserFault) => error.message,
    );

  it('have 12 to 256 characters, of any kind', async () => {
    expect(await faultOf('eleven char')).to.match(/12 to 256 characters; this one has 11/);
    expect(await faultOf('ab cd ef gh '.repeat(22))).to.match(/this one has 264/);
    for (const good of ['twelve chars', 'äöü ß ñ é ç å', '🐎🔋📎✅'.repeat(3), 'q7x '.repeat(64)]) {
      expect(await faultOf(good), good).to.equal(null);
    }
  });

  it('are none of the most used, in any case, nor one made longer by digits and signs', async () => {
    for (const bad of [
      'qwerty123456',
      'Leavemealone',
      'PASSWORD12345!',
      'sunshine2026!!',
      '111111111111',
      '121212121212',
    ]) {
      expect(await faultOf(bad), bad).to.match(/one of the most used/);
    }
    expect(await faultOf('margarethe@example.com')).to.match(/e-mail address/);
    expect(await faultOf('Margarethe2026')).to.match(/e-mail address/);
    expect(await faultOf('password of a horse')).to.equal(null);
  });

  it('are the same however their letters are composed, and not in another case', async () => {
    const stored = await hashPassword('caf\u00e9 with a view', 'test');
    expect(await isPassword('cafe\u0301 with a view', stored, 'test')).to.equal(true);
    expect(await isPassword('Caf\u00e9 with a view', stored, 'test')).to.equal(false);
  });

  it('are stored as argon2id with a salt of their own, and nowhere else', async () => {
    await byLink('one@example.com');
    await byLink('two@example.com');
    const stored = await database.rows<{ password: string }>(`select password from users order by id`);
    for (const { password } of stored) {
      expect(password).to.match(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
    }
    expect(new Set(stored.map(({ password }) => password.split('$')[4])).size).to.equal(stored.length);
    const [log] = await database.rows<{ text: string }>(
      'select json_agg(changes)::text as text from changes',
    );
    expect(log?.text).to.contain('one@example.com').and.not.to.contain('argon2').and.not.to.contain(PASSWORD);
  });

  it('take as much work to refuse for an unknown account, one without and one disabled as a wrong one', async () => {
    await byLink('known@example.com');
    await database.rows(`insert into users (email, name) values ('none@example.com', 'No password')`);
    await byLink('out@example.com');
    await database.rows(`update users set is_disabled = true where email = 'out@example.com'`);
    const emails = [
      'known@example.com',
      'unknown@example.com',
      'none@example.com',
      'out@example.com',
      'no address',
    ];
    const work = new Map(emails.map((email) => [email, [] as number[]]));
    for (let round = 0; round < 9; round++) {
      for (const email of emails) {
        const before = process.cpuUsage();
        const password = email === 'out@example.com' ? PASSWORD : `${PASSWORD}!`;
        expect(await signIn(people.db, { ...PLACE, email, password })).to.equal(null);
        const { user, system } = process.cpuUsage(before);
        work.get(email)?.push(user + system);
      }
    }
    const median = (email: string) => work.get(email)?.toSorted((a, b) => a - b)[4] ?? 0;
    for (const email of emails) {
      expect(median(email) / median('known@example.com'), email).to.be.within(0.6, 1.6);
    }
  });

  it('that are longer than any are refused with no more work', async () => {
    const work = async (password: string) => {
      const before = process.cpuUsage();
      expect(await signIn(people.db, { ...PLACE, email: 'known@example.com', password })).to.equal(null);
      const { user, system } = process.cpuUsage(before);
      return user + system;
    };
    const long = 'x'.repeat(20_000_000);
    const rounds: { short: number; long: number }[] = [];
    for (let round = 0; round < 5; round++) {
      rounds.push({ short: await work('wrong'), long: await work(long) });
    }
    const median = (of: 'short' | 'long') => rounds.map((round) => round[of]).sort((a, b) => a - b)[2] ?? 0;
    expect(median('long') / median('short')).to.be.below(2);
  });

  it('are compared one at a time for each address, so that one who guesses keeps nobody waiting', async () => {
    const order: string[] = [];
    const guess = (address: string) =>
      isPassword('wrong', null, address).then(() => {
        order.push(address);
      });
    const guesses = Array.from({ length: 10 }, () => guess('guesser'));
    await Promise.all([...guesses, guess('colleague')]);
    // Computed beside the guesses, so a busy machine may end some of those first; waiting behind them it would be the last.
    expect(order.indexOf('colleague')).to.be.below(8);
  });

  it('are changed by who knows the one there is, and end every other session', async () => {
    const first = await people.user('ida@example.com');
    const second = await signIn(people.db, { ...PLACE, email: 'IDA@example.com ', password: PASSWORD });
    const change = {
      userId: first.userId,
      sessionId: second?.sessionId ?? 0,
      address: PLACE.address,
      password: 'a heron by the canal',
    };
    const wrong = await changePassword(people.db, TEST_ACTOR, { ...change, currentPassword: 'no' }).catch(
      (error: UserFault) => error,
    );
    expect(wrong).to.be.instanceOf(UserFault).and.include({ field: 'current_password' });
    const weak = await changePassword(people.db, TEST_ACTOR, {
      ...change,
      currentPassword: PASSWORD,
      password: 'weak',
    }).catch((error: UserFault) => error);
    expect(weak).to.be.instanceOf(UserFault).and.include({ field: 'password' });
    await changePassword(people.db, TEST_ACTOR, { ...change, currentPassword: PASSWORD });
    const left = await database.rows<{ id: number }>('select id from sessions where user_id = $1', [
      first.userId,
    ]);
    expect(left).to.deep.equal([{ id: second?.sessionId }]);
    const sign = { ...PLACE, email: 'ida@example.com' };
    expect(await signIn(people.db, { ...sign, password: PASSWORD })).to.equal(null);
    expect(await signIn(people.db, { ...sign, password: 'a heron by the canal' })).not.to.equal(null);
  });
});
