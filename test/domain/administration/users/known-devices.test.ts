import { expect } from 'chai';
import {
  forgetDevices,
  knownDeviceOf,
  noteDevice,
} from '../../../../domain/administration/users/sessions/known-devices.ts';
import { digestOfToken, newToken } from '../../../../domain/administration/users/tokens.ts';
import { useDatabase } from '../../../support/database.ts';
import { usePeople } from '../../../support/people.ts';

describe('browsers that somebody has signed in with', () => {
  const database = useDatabase();
  const people = usePeople(database);
  const EMAIL = 'ann@example.com';
  const isKnown = async (email: string, cookie: string | null) =>
    (await knownDeviceOf(people.db, email, cookie)) !== null;

  it('are known for the users who did, each by a token of their own, and by no digest', async () => {
    const [ann, bob] = [await people.user(EMAIL), await people.user('bob@example.com')];
    const own = await noteDevice(people.db, ann.userId, null);
    const other = await noteDevice(people.db, bob.userId, null);
    expect(await knownDeviceOf(people.db, ' ANN@example.com', own)).to.equal(digestOfToken(own));
    for (const cookie of [other, digestOfToken(own), newToken().token, '', '.', 'x', null]) {
      expect(await isKnown(EMAIL, cookie), String(cookie)).to.equal(false);
    }
    const both = await noteDevice(people.db, ann.userId, other);
    expect(both)
      .to.match(/^[\w-]{43}\.[\w-]{43}$/)
      .and.to.include(other);
    expect([await isKnown(EMAIL, both), await isKnown('bob@example.com', both)]).to.deep.equal([true, true]);
    expect(await isKnown(EMAIL, other)).to.equal(false);
  });

  it('get another token each time, so that what was planted or read before is good for nothing', async () => {
    const { userId } = await people.user('dan@example.com');
    const planted = newToken().token;
    const first = await noteDevice(people.db, userId, planted);
    expect(await isKnown('dan@example.com', planted)).to.equal(false);
    const next = await noteDevice(people.db, userId, first);
    expect(await isKnown('dan@example.com', first)).to.equal(false);
    expect(await isKnown('dan@example.com', next)).to.equal(true);
    await forgetDevices(people.db, userId);
    expect(await isKnown('dan@example.com', next)).to.equal(false);
  });

  it('keep the tokens of the eight users who signed in last', async () => {
    const emails = Array.from({ length: 10 }, (_, index) => `shift-${index}@example.com`);
    let cookie: string | null = null;
    for (const email of emails) {
      cookie = await noteDevice(people.db, (await people.user(email)).userId, cookie);
    }
    const known: string[] = [];
    for (const email of emails) {
      if (await isKnown(email, cookie)) {
        known.push(email);
      }
    }
    expect(known).to.deep.equal(emails.slice(2));
    expect(cookie).to.have.length(8 * 44 - 1);
  });

  it('are the twenty used last', async () => {
    const { userId } = await people.user('cid@example.com');
    const cookies: string[] = [];
    let always = await noteDevice(people.db, userId, null);
    for (let count = 0; count < 25; count++) {
      cookies.push(await noteDevice(people.db, userId, null));
      always = await noteDevice(people.db, userId, always);
    }
    const known: string[] = [];
    for (const cookie of [always, ...cookies]) {
      if (await isKnown('cid@example.com', cookie)) {
        known.push(cookie);
      }
    }
    expect(known).to.deep.equal([always, ...cookies.slice(-19)]);
  });
});
