import { AppError } from '../../../base/errors.ts';
import type { Pool } from '../../../db/timescale/connections/client.ts';
import type { OrganizationDatabase } from '../../../db/timescale/connections/organization-door.ts';
import { createReader } from '../../../domain/administration/readers/create-reader.ts';
import { setAntenna } from '../../../domain/administration/readers/set-antenna.ts';
import { loadBuiltinFormats } from '../../../domain/formats/mapping/builtin.ts';
import type { ConnectedReader } from '../../../simulation/connections.ts';
import { ENCODERS } from '../../../simulation/encoders/encoders.ts';
import type { SimulatedAsset } from '../../../simulation/population.ts';
import type { Site } from '../../../simulation/site.ts';
import { importFile } from '../../api/imports/import-file.ts';
import { createLocation } from '../../api/locations/create.ts';
import { type Earlier, MARK, removeEarlier, takenAssetKeys } from './remove-earlier.ts';

export interface Installation {
  readers: InstalledReader[];
  /** Ids of the locations by external key. */
  locationIds: ReadonlyMap<string, number>;
}

export interface InstalledReader extends ConnectedReader {
  id: number;
  login: { username: string; password: string };
}

/**
 * Registers a simulated site: its locations where they are missing, its assets and its readers anew.
 *
 * @throws AppError `conflict` if a key of its assets is somebody's own already.
 */
export async function install(
  { db, pool }: { db: OrganizationDatabase; pool: Pool },
  { site, assets, earlier }: { site: Site; assets: readonly SimulatedAsset[]; earlier: Earlier },
): Promise<Installation> {
  await removeEarlier(pool, earlier);
  await installAssets(db, pool, site, assets);
  const locationIds = await installLocations(db, pool, site);
  return { readers: await installReaders(pool, db.orgId, site), locationIds };
}

async function installAssets(
  db: OrganizationDatabase,
  pool: Pool,
  site: Site,
  assets: readonly SimulatedAsset[],
): Promise<void> {
  const [taken] = await takenAssetKeys(
    pool,
    db.orgId,
    assets.map(({ key }) => key),
  );
  if (taken !== undefined) {
    throw new AppError('conflict', `${taken} is an asset of your own; choose another --prefix`);
  }
  const tagTypes = [...new Set(site.readers.map(({ format }) => ENCODERS[format].tagType))];
  const lines = assets.map(({ key, name, registeredTags }) => {
    const tags = tagTypes.map((tagType) => `${tagType}:${registeredTags[tagType]}`).join(';');
    return `${key},${name},"{""${MARK}"":true}",${tags}\n`;
  });
  const outcome = await importFile(
    db,
    'asset',
    async function* () {
      yield Buffer.from(`external_key,name,metadata,tags\n${lines.join('')}`);
    },
    { isDryRun: false },
  );
  if (!outcome.isImported) {
    const found = outcome.issues.map(({ message }) => message).join('\n');
    throw new AppError(
      'conflict',
      `The simulated assets cannot be registered; choose another --prefix\n${found}`,
    );
  }
}

async function installLocations(
  db: OrganizationDatabase,
  pool: Pool,
  site: Site,
): Promise<Map<string, number>> {
  const find = async () => {
    const { rows } = await pool.query<{ external_key: string; id: number }>(
      `select external_key, id from locations
       where org_id = $1 and external_key = any($2::text[]) and deleted_at is null`,
      [db.orgId, site.places.map(({ key }) => key)],
    );
    return new Map(rows.map(({ external_key, id }) => [external_key, id]));
  };
  const there = await find();
  for (const { key, name, parent } of site.places.filter((place) => !there.has(place.key))) {
    await createLocation(db, { external_key: key, name, parent_external_key: parent ?? undefined });
  }
  return find();
}

async function installReaders(pool: Pool, orgId: number, site: Site): Promise<InstalledReader[]> {
  const formats = loadBuiltinFormats();
  const installed: InstalledReader[] = [];
  for (const { name, topic, format, antennas } of site.readers) {
    const filter = ENCODERS[format].topicFilter(topic);
    const reader = await createReader(pool, formats, { orgId, name, topic: filter, format, policies: {} });
    for (const [index, locationExternalKey] of antennas.entries()) {
      await setAntenna(pool, { readerId: reader.id, port: index + 1, locationExternalKey });
    }
    const login = { username: reader.mqttUsername, password: reader.mqttPassword };
    installed.push({ id: reader.id, name, topic, login });
  }
  return installed;
}
