import { databaseOn } from '../../db/timescale/connections/database.ts';
import { openPeopleDoor, type PeopleDoor } from '../../db/timescale/connections/people-door.ts';
import { createOrganization } from '../../domain/administration/organizations/create-organization.ts';
import { createUser } from '../../domain/administration/users/create-user.ts';
import { acceptLink } from '../../domain/administration/users/links/accept-link.ts';
import { makeResetLink } from '../../domain/administration/users/links/make-link.ts';
import type { Role } from '../../domain/administration/users/roles.ts';
import type { SignedIn } from '../../domain/administration/users/sessions/sign-in.ts';
import { TEST_ACTOR } from './actor.ts';
import type { TestDatabase } from './database.ts';

export const PASSWORD = 'seven lamps on a quiet pier';

export const PLACE = { address: '127.0.0.1', userAgent: 'a browser', requestId: 'request' };

/** Users of a suite's database, made as the console makes them. */
export interface People {
  db: PeopleDoor;
  organization(name?: string): Promise<number>;
  /** A user with {@link PASSWORD}, and a session from having set it. */
  user(email: string, membership?: { orgId: number; role: Role }): Promise<SignedIn>;
}

export function usePeople(database: TestDatabase): People {
  const people: People = {
    db: undefined as never,
    organization: async (name = 'Own') => (await createOrganization(ownerOf(database), TEST_ACTOR, name)).id,
    user: async (email, membership) => {
      const { id } = await createUser(people.db, TEST_ACTOR, {
        email,
        name: 'Somebody',
        membership: membership ?? null,
      });
      const { token } = await makeResetLink(people.db, TEST_ACTOR, { userId: id, orgId: null });
      return acceptLink(people.db, { ...PLACE, token, password: PASSWORD });
    },
  };
  before(() => {
    people.db = openPeopleDoor(database.url, { max: 4 });
    database.beforeDrop(() => people.db.end());
  });
  return people;
}

function ownerOf(database: TestDatabase) {
  return databaseOn(database.pool);
}
