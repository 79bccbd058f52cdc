import { readFileSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { MICROS_PER_DAY, MICROS_PER_MILLISECOND, MICROS_PER_SECOND } from '../../../base/instant.ts';
import { type Database, databaseOn } from '../../../db/timescale/connections/database.ts';
import { openOrganizationDoor } from '../../../db/timescale/connections/organization-door.ts';
import { createWritePool } from '../../../db/timescale/connections/pool.ts';
import { createApiKey } from '../../../domain/administration/api-keys/issue-key.ts';
import { PUBLIC_SCOPES } from '../../../domain/administration/api-keys/scopes.ts';
import { setLocating } from '../../../domain/administration/locating/set-locating.ts';
import { createOrganization } from '../../../domain/administration/organizations/organizations.ts';
import { createReader } from '../../../domain/administration/readers/create-reader.ts';
import { setAntenna } from '../../../domain/administration/readers/set-antenna.ts';
import { createUser } from '../../../domain/administration/users/create-user.ts';
import { makeSignInLink } from '../../../domain/administration/users/links/make-link.ts';
import { setWatch } from '../../../domain/administration/watches/set-watch.ts';
import { createRule } from '../../../domain/alerts/rules/create-rule.ts';
import type { Actor } from '../../../domain/changes/actor.ts';
import { loadBuiltinFormats } from '../../../domain/formats/mapping/builtin.ts';
import { findLiveByKeys } from '../../../domain/master-data/by-id-or-key.ts';
import { changePlan } from '../../../domain/master-data/plans/change-plan.ts';
import { createPlan } from '../../../domain/master-data/plans/create-plan.ts';
import type { Lifecycle } from '../../../platform/runtime/lifecycle.ts';
import { type ApiClient, createApiClient } from '../../../simulation/api-client.ts';
import { type ConnectedReader, type Connections, connectReaders } from '../../../simulation/connections.ts';
import { commandLineActor } from '../command-line-actor.ts';
import { readStandaloneConfig, type StandaloneConfig } from '../config.ts';
import { type Standalone, startStandalone } from '../standalone.ts';
import { ASSETS } from './assets.ts';
import { CARTS, HALL, HALL_KEY, onHallPlan, readHallPlan } from './hall.ts';
import { LOCATIONS, READERS, ROOMS, SITE } from './site.ts';

/** The warehouse from above, in pixels: zones with walls, racks, lines, doors and the lorries at them. */
const IMAGE = new URL('floor-plan.png', import.meta.url);
const WIDTH = 1_600;
const HEIGHT = 1_000;

/** Zones, by the key of the location. */
const ZONES: readonly [
  key: string,
  box: readonly [left: number, top: number, right: number, bottom: number],
][] = [
  ['RECEIVING', [118, 78, 400, 922]],
  ['STORAGE', [400, 78, 1_000, 922]],
  ['PACKING', [1_000, 78, 1_240, 922]],
  ['SHIPPING', [1_240, 78, 1_482, 922]],
];

/** Where things stop, by the key of the location. */
const STOPS: readonly [key: string, x: number, y: number][] = [
  ['DOCK-1', 235, 230],
  ['DOCK-2', 235, 500],
  ['DOCK-3', 235, 770],
  ['AISLE-A', 520, 390],
  ['AISLE-B', 700, 390],
  ['AISLE-C', 880, 390],
  ['COLD-ROOM', 700, 820],
  ['PACK-1', 1_120, 330],
  ['PACK-2', 1_120, 670],
  ['GATE-1', 1_375, 340],
  ['GATE-2', 1_375, 660],
];

interface FloorPlan {
  png: Buffer;
  /** By the key of the location; each from 0 to 1. */
  shapes: ReadonlyMap<string, readonly (readonly [x: number, y: number])[]>;
}

interface InstalledSite {
  api: ApiClient;
  apiKey: string;
  /** A link that signs in as an administrator of the site. */
  signInToken: string;
  readers: readonly ConnectedReader[];
}

/** The whole of tagtrail in a temporary folder, with the site set up and its readers connected. */
export interface Demo {
  standalone: Standalone;
  site: InstalledSite;
  connections: Connections;
  print(line: string): void;
}

/**
 * Settings of a demo: free ports by default, rate limits above its own needs, a quiet log, and never a server of
 * somebody's own.
 *
 * @throws AppError `misconfigured` with every fault.
 */
export function readDemoConfig(environment: NodeJS.ProcessEnv): StandaloneConfig {
  return readStandaloneConfig({
    ...environment,
    API_PORT: environment['API_PORT'] || '0',
    HANDHELD_PORT: environment['HANDHELD_PORT'] || '0',
    CONSOLE_PORT: environment['CONSOLE_PORT'] || '0',
    MQTT_PORT: environment['MQTT_PORT'] || '0',
    READERS_PORT: environment['READERS_PORT'] || '0',
    RATE_LIMIT_PER_MINUTE: environment['RATE_LIMIT_PER_MINUTE'] || '60000',
    RATE_LIMIT_BURST: environment['RATE_LIMIT_BURST'] || '60000',
    LOG_LEVEL: environment['LOG_LEVEL'] || 'error',
    DATABASE_URL: '',
    REDIS_URL: '',
    MQTT_URL: '',
  });
}

/** @throws AppError naming the setting at fault. */
export async function startDemo(
  config: StandaloneConfig,
  log: Logger,
  lifecycle: Lifecycle,
  print: (line: string) => void,
): Promise<Demo> {
  const folder = await lifecycle.start('folder', makeFolder, (made) =>
    rm(made, { recursive: true, force: true }),
  );
  const standalone = await startStandalone({ ...config, TAGTRAIL_DATA: folder }, log, lifecycle, false);
  const site = await setUpSite(standalone);
  const connections = await lifecycle.start(
    'readers',
    () => connectReaders(standalone.mqttUrl, site.readers),
    (connected) => connected.close(),
  );
  return { standalone, site, connections, print };
}

/** The database server may run as another user, who needs access to its folder in this one. */
async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tagtrail-demo-'));
  await chmod(folder, 0o711);
  return folder;
}

/**
 * Sets the site up as its owner would: an organization and a key on the server, locations and assets through the API,
 * then the plan, readers and antennas.
 */
async function setUpSite({ apiUrl, databaseUrl }: Standalone): Promise<InstalledSite> {
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
    const readers = await installReaders(db, actor, orgId);
    await hangPlans(databaseUrl, actor, orgId, new Map(readers.map(({ name, id }) => [name, id])));
    await setLocating(
      db,
      actor,
      {
        ...{ orgId, locationExternalKey: HALL_KEY, procedure: 'position' },
        ...{ certainty: null, tagDbm: null },
        // Before the first reads that are played.
        from: Date.now() * MICROS_PER_MILLISECOND - MICROS_PER_DAY / 12,
      },
      { retention: MICROS_PER_DAY },
    );
    await watchRooms(db, actor, orgId);
    const signInToken = await letSomebodyIn(db, actor, orgId);
    return { api, apiKey, signInToken, readers };
  } finally {
    await pool.end();
  }
}

/** Assets in a room are overdue after half a minute, and by a rule missing after a minute. */
async function watchRooms(db: Database, actor: Actor, orgId: number): Promise<void> {
  const maxGap = 30 * MICROS_PER_SECOND;
  for (const locationExternalKey of ROOMS) {
    await setWatch(db, actor, { orgId, locationExternalKey, mode: 'continuous', maxGap, coverage: 'all' });
  }
  const now = Date.now() * MICROS_PER_MILLISECOND;
  const rule = { orgId, name: 'Gone from storage', withinLocationExternalKey: 'STORAGE' };
  await createRule(db, actor, now, { ...rule, kind: 'overdue', after: maxGap, thenAfter: 2 * maxGap });
  await createRule(db, actor, now, { orgId, kind: 'reader', name: 'A reader is not heard' });
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
  for (const { key, name, parent } of [...LOCATIONS, ...HALL.locations]) {
    const under = parent === null ? {} : { parent_external_key: parent };
    await api.createLocation({ external_key: key, name, ...under });
  }
  for (const { key, name, registeredTag } of ASSETS) {
    const tags = [{ tag_type: 'rfid' as const, value: registeredTag }];
    await api.createAsset({ external_key: key, name, tags });
  }
  for (const { key, name, registeredTags } of CARTS) {
    const tags = [{ tag_type: 'ble' as const, value: registeredTags.ble }];
    await api.createAsset({ external_key: key, name, tags });
  }
}

async function installReaders(
  db: Database,
  actor: Actor,
  orgId: number,
): Promise<(ConnectedReader & { id: number })[]> {
  const formats = loadBuiltinFormats();
  const installed: (ConnectedReader & { id: number })[] = [];
  const gateways = HALL.gateways.map(({ reader }) => reader);
  for (const { name, topic, format, antennas } of [...READERS, ...gateways]) {
    const reader = await createReader(db, actor, formats, { orgId, name, topic, format, policies: {} });
    for (const [index, locationExternalKey] of antennas.entries()) {
      await setAntenna(db, actor, { readerId: reader.id, port: index + 1, locationExternalKey });
    }
    const login = { username: reader.mqttUsername, password: reader.mqttPassword };
    installed.push({ id: reader.id, name, topic, login });
  }
  return installed;
}

/** Adds the plan of the site, with the locations where they are on it, and that of the hall, with its antennas, too. */
async function hangPlans(
  databaseUrl: string,
  actor: Actor,
  orgId: number,
  readerIds: ReadonlyMap<string, number>,
): Promise<void> {
  const { png, shapes } = readFloorPlan();
  const door = openOrganizationDoor(databaseUrl, { max: 2, applicationName: 'tagtrail demo' });
  try {
    const db = door.of(orgId);
    const keys = [...LOCATIONS, ...HALL.locations].map(({ key }) => key);
    const located = await findLiveByKeys(db, 'location', orgId, keys);
    const ids = new Map(located.map(({ id, external_key: key }) => [key, id]));
    const planOf = (key: string, name: string, image: Buffer) =>
      createPlan(db, actor, { name, locationId: ids.get(key) ?? null, image });
    const site = await planOf(SITE.key, SITE.name, png);
    const places = [...shapes].flatMap(([key, points]) => {
      const location = ids.get(key);
      return location === undefined ? [] : { locationId: location, points };
    });
    await changePlan(db, actor, site.id, { places });
    const hall = await planOf(HALL_KEY, 'Hall', readHallPlan());
    await changePlan(db, actor, hall.id, onHallPlan(ids, readerIds));
  } finally {
    await door.end();
  }
}

export function readFloorPlan(): FloorPlan {
  const relative = (x: number, y: number): readonly [number, number] => [x / WIDTH, y / HEIGHT];
  return {
    png: readFileSync(IMAGE),
    shapes: new Map<string, readonly (readonly [number, number])[]>([
      ...ZONES.map(([key, [left, top, right, bottom]]) => {
        const corners = [
          relative(left, top),
          relative(right, top),
          relative(right, bottom),
          relative(left, bottom),
        ];
        return [key, corners] as const;
      }),
      ...STOPS.map(([key, x, y]) => [key, [relative(x, y)]] as const),
    ]),
  };
}
