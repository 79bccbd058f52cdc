import { expect } from 'chai';
import { isKnownDevice, noteDevice } from '../../../../domain/administration/users/sessions/known-devices.ts';
import { newToken } from '../../../../domain/administration/users/tokens.ts';
import { useDatabase } from '../../../support/database.ts';
import { usePeople } from '../../../support/people.ts';

describe('browsers that somebody has signed in with', () => {
  const database = useDatabase();
  const people = usePeople(database);
  const EMAIL = 'ann@example.com';

  it('are known for those users only, and by no digest', async () => {
    const [ann, bob] = [await people.user(EMAIL), await people.user('bob@example.com')];
    const [own, other] = [newToken(), newToken()];
    await noteDevice(people.db, ann.userId, own.token);
    await noteDevice(people.db, bob.userId, other.token);
    expect(await isKnownDevice(people.db, ' ANN@example.com', own.token)).to.equal(true);
    for (const token of [other.token, own.digest, newToken().token, '', 'x']) {
      expect(await isKnownDevice(people.db, EMAIL, token), token).to.equal(false);
    }
    await noteDevice(people.db, ann.userId, other.token);
    expect(await isKnownDevice(people.db, EMAIL, other.token)).to.equal(true);
    expect(await isKnownDevice(people.db, 'bob@example.com', other.token)).to.equal(true);
  });

  it('are the twenty used last', async () => {
    const { userId } = await people.user('cid@example.com');
    const tokens = Array.from({ length: 25 }, () => newToken().token);
    for (const token of tokens) {
      await noteDevice(people.db, userId, token);
      await noteDevice(people.db, userId, tokens[0] ?? '');
    }
    const known: string[] = [];
    for (const token of tokens) {
      if (await isKnownDevice(people.db, 'cid@example.com', token)) {
        known.push(token);
      }
    }
    expect(known).to.deep.equal([tokens[0], ...tokens.slice(-19)]);
  });
});
