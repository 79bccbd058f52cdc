import { expect } from 'chai';
import { AppError } from '../../../../base/errors.ts';
import { acceptLink } from '../../../../domain/administration/users/links/accept-link.ts';
import { makeResetLink } from '../../../../domain/administration/users/links/make-link.ts';
import { knownDeviceOf, noteDevice } from '../../../../domain/administration/users/sessions/known-devices.ts';
import { signIn } from '../../../../domain/administration/users/sessions/sign-in.ts';
import { TEST_ACTOR } from '../../../support/actor.ts';
import { useDatabase } from '../../../support/database.ts';
import { PASSWORD, PLACE, usePeople } from '../../../support/people.ts';

describe('a link that sets a password', () => {
  const database = useDatabase();
  const people = usePeople(database);
  let orgId: number;
  before(async () => {
    orgId = await people.organization();
  });

  it('is made by no administrator for somebody who signs in by an identity provider only', async () => {
    const email = 'lea@example.com';
    const { userId } = await people.user(email, { orgId, role: 'viewer' });
    await database.rows(
      `update users set issuer = 'https://id.example.com', subject = 'lea', password = null where id = $1`,
      [userId],
    );
    const refused = await makeResetLink(people.db, TEST_ACTOR, { userId, orgId }).catch((error) => error);
    expect(refused).to.be.instanceOf(AppError).and.include({ code: 'forbidden' });
    expect(refused.message).to.match(/signs in by single sign-on.*tagtrail user reset/);
    const { token } = await makeResetLink(people.db, TEST_ACTOR, { userId, orgId: null });
    await acceptLink(people.db, { ...PLACE, token, password: PASSWORD });
    expect(await signIn(people.db, { ...PLACE, email, password: PASSWORD })).not.to.equal(null);
  });

  it('has browsers forgotten, which may be those of whoever knew the password before', async () => {
    const email = 'max@example.com';
    const { userId } = await people.user(email, { orgId, role: 'viewer' });
    const cookie = await noteDevice(people.db, userId, null);
    const { token } = await makeResetLink(people.db, TEST_ACTOR, { userId, orgId });
    expect(await knownDeviceOf(people.db, email, cookie)).not.to.equal(null);
    await acceptLink(people.db, { ...PLACE, token, password: PASSWORD });
    expect(await knownDeviceOf(people.db, email, cookie)).to.equal(null);
  });
});
