import { randomUUID } from 'node:crypto';
import { databaseOn } from '../../../db/timescale/connections/database.ts';
import { openPeopleDoor } from '../../../db/timescale/connections/people-door.ts';
import { createWritePool } from '../../../db/timescale/connections/pool.ts';
import { createReader } from '../../../domain/administration/readers/create-reader.ts';
import { setAntenna } from '../../../domain/administration/readers/set-antenna.ts';
import { createUser } from '../../../domain/administration/users/create-user.ts';
import { acceptLink } from '../../../domain/administration/users/links/accept-link.ts';
import { makeSignInLink } from '../../../domain/administration/users/links/make-link.ts';
import type { Role } from '../../../domain/administration/users/roles.ts';
import { loadBuiltinFormats } from '../../../domain/formats/mapping/builtin.ts';
import type { ConnectedReader } from '../../../simulation/connections.ts';
import { TEST_ACTOR } from '../../support/actor.ts';
import { PLACE } from '../../support/people.ts';
import { type Filled, fill } from '../rows/seed.ts';

export interface ConsoleSite {
  filled: Filled;
  /** Of a viewer's session. */
  token: string;
  reader: ConnectedReader;
}

/** Of the reader, each at a place of its own. */
export const ANTENNAS = 64;

/** Ten sites of ten halls, and the rest of the places in the halls; assets evenly at all places. */
export async function makeSite(
  serverUrl: string,
  size: { locations: number; assets: number },
): Promise<ConsoleSite> {
  const filled = await fill(serverUrl, { ...size, scans: size.assets });
  const pool = createWritePool(filled.url, { max: 1 });
  try {
    await pool.query(
      `update locations set parent_id = case when id <= 110 then 1 + id % 10 else 11 + id % 100 end where id > 10`,
    );
    await pool.query('vacuum analyze locations');
    const db = databaseOn(pool);
    const created = await createReader(db, TEST_ACTOR, loadBuiltinFormats(), {
      ...{ orgId: filled.orgId, name: 'portals', topic: 'bench/portals', format: 'tagtrail', policies: {} },
    });
    for (let port = 1; port <= ANTENNAS; port += 1) {
      const locationExternalKey = `LOC-${String(size.locations - 10 * port).padStart(4, '0')}`;
      await setAntenna(db, TEST_ACTOR, { readerId: created.id, port, locationExternalKey });
    }
    const login = { username: created.mqttUsername, password: created.mqttPassword };
    return {
      filled,
      token: await letSomebodyIn(filled, 'viewer'),
      reader: { name: created.name, topic: created.topic, login },
    };
  } finally {
    await pool.end();
  }
}

/** The token of a new member's session. */
export async function letSomebodyIn(
  { url, orgId }: Pick<Filled, 'url' | 'orgId'>,
  role: Role,
): Promise<string> {
  const people = openPeopleDoor(url, { max: 1 });
  try {
    const { id } = await createUser(people, TEST_ACTOR, {
      ...{ email: `${role}-${randomUUID()}@example.com`, name: 'Somebody', membership: { orgId, role } },
    });
    const { token } = await makeSignInLink(people, TEST_ACTOR, id);
    return (await acceptLink(people, { ...PLACE, token })).token;
  } finally {
    await people.end();
  }
}
