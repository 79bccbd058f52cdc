import { argon2Sync } from 'node:crypto';
import { databaseOn } from '../../db/timescale/connections/database.ts';
import { openPeopleDoor, type PeopleDoor } from '../../db/timescale/connections/people-door.ts';
import { createOrganization } from '../../domain/administration/organizations/organizations.ts';
import { setPassword } from '../../domain/administration/users/accounts/change-password.ts';
import { createUser } from '../../domain/administration/users/create-user.ts';
import type { Role } from '../../domain/administration/users/roles.ts';
import { beginSession } from '../../domain/administration/users/sessions/begin-session.ts';
import type { SignedIn } from '../../domain/administration/users/sessions/sign-in.ts';
import { lockUser } from '../../domain/administration/users/stored-user.ts';
import { changed, makeChange } from '../../domain/changes/make-change.ts';
import { TEST_ACTOR } from './actor.ts';
import type { TestDatabase } from './database.ts';

export const PASSWORD = 'seven lamps on a quiet pier';

export const PLACE = { address: '127.0.0.1', userAgent: 'a browser', requestId: 'request' };

/**
 * What is stored of {@link PASSWORD}. The hash itself says what it costs, to sign in as well: a ten thousandth here of what one
 * of the product's costs, which would be a large part of all that the tests of the console compute.
 */
const STORED = cheapHash(PASSWORD);

/** Users of a suite's database, as after they have set a password by a link. */
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
      return makeChange(
        people.db,
        { type: 'user', id: String(id), requestId: PLACE.requestId },
        async (change) => {
          const entries = await setPassword(change, await lockUser(change, id), STORED, null);
          const session = await beginSession(change, { id, email }, { ...PLACE, by: 'link' });
          return changed({ userId: id, sessionId: session.id, token: session.token }, [
            ...entries,
            ...session.entries,
          ]);
        },
      );
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

function cheapHash(message: string): string {
  const [nonce, cost] = [Buffer.alloc(16), { memory: 8, passes: 1, parallelism: 1 }];
  const hash = argon2Sync('argon2id', { message, nonce, tagLength: 32, ...cost });
  const [salt, tag] = [nonce, hash].map((each) => each.toString('base64').replace(/=+$/, ''));
  return `$argon2id$v=19$m=${cost.memory},t=${cost.passes},p=${cost.parallelism}$${salt}$${tag}`;
}
