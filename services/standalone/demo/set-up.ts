import { type Database, databaseOn } from '../../../db/timescale/connections/database.ts';
import { openOrganizationDoor } from '../../../db/timescale/connections/organization-door.ts';
import { createWritePool } from '../../../db/timescale/connections/pool.ts';
import { createApiKey } from '../../../domain/administration/api-keys/create-api-key.ts';
import { PUBLIC_SCOPES } from '../../../domain/administration/api-keys/scopes.ts';
import { createOrganization } from '../../../domain/administration/organizations/create-organization.ts';
import { createReader } from '../../../domain/administration/readers/create-reader.ts';
import { setAntenna } from '../../../domain/administration/readers/set-antenna.ts';
import { createUser } from '../../../domain/administration/users/create-user.ts';
import { makeSignInLink } from '../../../domain/administration/users/links/make-link.ts';
import type { Actor } from '../../../domain/changes/actor.ts';
import { loadBuiltinFormats } from '../../../domain/formats/mapping/builtin.ts';
import { findLiveByKeys } from '../../../domain/master-data/live-by-key.ts';
import { changePlan } from '../../../domain/master-data/plans/change-plan.ts';
import { createPlan } from '../../../domain/master-data/plans/create-plan.ts';
import { type ApiClient, createApiClient } from '../../../simulation/api-client.ts';
import type { ConnectedReader } from '../../../simulation/connections.ts';
import { commandLineActor } from '../command-line-actor.ts';
import type { Standalone } from '../standalone.ts';
import { ASSETS } from './assets.ts';
import { readFloorPlan } from './floor-plan.ts';
import { LOCATIONS, READERS, SITE } from './site.ts';

export interface InstalledSite {
  api: ApiClient;
  apiKey: string;
  /** A link that signs in as an administrator of the site. */
  signInToken: string;
  readers: readonly ConnectedReader[];
}

/**
 * Sets the site up as its owner would: an organization and a key on the server, locations and assets through the API,
 * then the plan, readers and antennas.
 */
export async function setUpSite({ apiUrl, databaseUrl }: Standalone): Promise<InstalledSite> {
  const pool = createWritePool(databaseUrl, { max: 1, applicationName: 'tagtrail demo' });
  const [db, actor] = [databaseOn(pool), commandLineActor()];
  try {
    const { id: orgId } = await createOrganization(db, actor, 'North Hub Logistics');
    const { key: apiKey } = await createApiKey(db, actor, {
      orgId,
      name: 'demo',
      scopes: PUBLIC_SCOPES,
      expiresAt: null,
    });
    const api = createApiClient(apiUrl, apiKey);
    await createLocationsAndAssets(api);
    await hangPlan(databaseUrl, actor, { orgId, site: SITE });
    const signInToken = await letSomebodyIn(db, actor, orgId);
    return { api, apiKey, signInToken, readers: await installReaders(db, actor, orgId) };
  } finally {
    await pool.end();
  }
}

async function letSomebodyIn(db: Database, actor: Actor, orgId: number): Promise<string> {
  const { id } = await createUser(db, actor, {
    email: 'demo@example.com',
    name: 'Demo',
    membership: { orgId, role: 'admin' },
  });
  return (await makeSignInLink(db, actor, id)).token;
}

async function createLocationsAndAssets(api: ApiClient): Promise<void> {
  for (const { key, name, parent } of LOCATIONS) {
    const under = parent === null ? {} : { parent_external_key: parent };
    await api.createLocation({ external_key: key, name, ...under });
  }
  for (const { key, name, registeredTag } of ASSETS) {
    const tags = [{ tag_type: 'rfid' as const, value: registeredTag }];
    await api.createAsset({ external_key: key, name, tags });
  }
}

async function installReaders(db: Database, actor: Actor, orgId: number): Promise<ConnectedReader[]> {
  const formats = loadBuiltinFormats();
  const installed: ConnectedReader[] = [];
  for (const { name, topic, format, antennas } of READERS) {
    const reader = await createReader(db, actor, formats, { orgId, name, topic, format, policies: {} });
    for (const [index, locationExternalKey] of antennas.entries()) {
      await setAntenna(db, actor, { readerId: reader.id, port: index + 1, locationExternalKey });
    }
    const login = { username: reader.mqttUsername, password: reader.mqttPassword };
    installed.push({ name, topic, login });
  }
  return installed;
}

/** Adds the plan of the site, with the locations where they are on it. */
async function hangPlan(
  databaseUrl: string,
  actor: Actor,
  { orgId, site }: { orgId: number; site: { key: string; name: string } },
): Promise<void> {
  const { png, shapes } = readFloorPlan();
  const door = openOrganizationDoor(databaseUrl, { max: 2, applicationName: 'tagtrail demo' });
  try {
    const db = door.of(orgId);
    const located = await findLiveByKeys(db, 'location', orgId, [site.key, ...shapes.keys()]);
    const ids = new Map(located.map(({ id, external_key: key }) => [key, id]));
    const locationId = ids.get(site.key) ?? null;
    const { id } = await createPlan(db, actor, { name: site.name, locationId, image: png });
    const places = [...shapes].flatMap(([key, points]) => {
      const location = ids.get(key);
      return location === undefined ? [] : { locationId: location, points };
    });
    await changePlan(db, actor, id, { places });
  } finally {
    await door.end();
  }
}
