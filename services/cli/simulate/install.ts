import { AppError } from '../../../base/errors.ts';
import { MICROS_PER_SECOND } from '../../../base/instant.ts';
import type { Database } from '../../../db/timescale/connections/database.ts';
import type { OrganizationDatabase } from '../../../db/timescale/connections/organization-door.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import { setLocating } from '../../../domain/administration/locating/set-locating.ts';
import { createReader } from '../../../domain/administration/readers/create-reader.ts';
import { deleteReader } from '../../../domain/administration/readers/delete-reader.ts';
import { listReaders } from '../../../domain/administration/readers/list-readers.ts';
import { setAntenna } from '../../../domain/administration/readers/set-antenna.ts';
import { setWatch } from '../../../domain/administration/watches/set-watch.ts';
import type { Actor } from '../../../domain/changes/actor.ts';
import type { ChangeEntry } from '../../../domain/changes/entry.ts';
import { type Change, changed, makeChange } from '../../../domain/changes/make-change.ts';
import { loadBuiltinFormats } from '../../../domain/formats/mapping/builtin.ts';
import { findLiveByKeys } from '../../../domain/master-data/by-id-or-key.ts';
import { NEXT_UPDATE } from '../../../domain/master-data/clauses.ts';
import { importFile } from '../../../domain/master-data/imports/import-file.ts';
import { issuesOfFile } from '../../../domain/master-data/imports/read-rows.ts';
import { createLocation } from '../../../domain/master-data/locations/create.ts';
import { type DeletedRow, deletionOf } from '../../../domain/master-data/logged/entries.ts';
import { loggedTags } from '../../../domain/master-data/tags/queries.ts';
import { listWatches } from '../../../domain/presence/coverage/stored-watches.ts';
import type { ConnectedReader } from '../../../simulation/connections.ts';
import { ENCODERS } from '../../../simulation/encoders/encoders.ts';
import type { TaggedAsset } from '../../../simulation/population.ts';
import { isPortal, type Site, stopsOf } from '../../../simulation/site.ts';
import type { WatchPlan } from './plan.ts';

export interface Installation {
  readers: InstalledReader[];
  locationIds: ReadonlyMap<string, number>;
}

export interface InstalledReader extends ConnectedReader {
  id: number;
  login: { username: string; password: string };
}

/**
 * Registers a simulated site: missing locations, and new assets and readers.
 *
 * @throws AppError `conflict` if an asset's key is taken by others.
 */
export async function install(
  { db, all, actor }: { db: OrganizationDatabase; all: Database; actor: Actor },
  {
    site,
    assets,
    earlier,
    watch,
    hall,
  }: {
    site: Site;
    assets: readonly TaggedAsset[];
    earlier: Earlier;
    watch: WatchPlan | null;
    /** Key of a location where strength decides; null without. */
    hall: string | null;
  },
): Promise<Installation> {
  await removeEarlier(all, actor, earlier);
  await installAssets(db, actor, site, assets);
  const locationIds = await installLocations(db, actor, site);
  await installWatches(all, actor, db.orgId, site, watch);
  if (hall !== null) {
    const byStrength = { procedure: 'strength', certainty: null, tagDbm: null, from: null } as const;
    await setLocating(
      all,
      actor,
      { ...byStrength, orgId: db.orgId, locationExternalKey: hall },
      { retention: 0 },
    );
  }
  return { readers: await installReaders(all, actor, db.orgId, site, watch), locationIds };
}

async function installAssets(
  db: OrganizationDatabase,
  actor: Actor,
  site: Site,
  assets: readonly TaggedAsset[],
): Promise<void> {
  const keys = assets.map(({ key }) => key);
  const [taken] = await findLiveByKeys(db, 'asset', db.orgId, keys);
  if (taken !== undefined) {
    throw new AppError('conflict', `${taken.external_key} is an asset of your own; choose another --prefix`);
  }
  const tagTypes = [...new Set(site.readers.map(({ format }) => ENCODERS[format].tagType))];
  const lines = assets.map(({ key, name, registeredTags }) => {
    const tags = tagTypes.map((tagType) => `${tagType}:${registeredTags[tagType]}`).join(';');
    return `${key},${name},"{""${MARK}"":true}",${tags}\n`;
  });
  const outcome = await importFile(
    db,
    actor,
    'asset',
    async function* () {
      yield Buffer.from(`external_key,name,metadata,tags\n${lines.join('')}`);
    },
    { isDryRun: false },
  );
  if (!outcome.isImported) {
    const found = issuesOfFile(outcome.issues)
      .map(({ message }) => message)
      .join('\n');
    throw new AppError(
      'conflict',
      `The simulated assets cannot be registered; choose another --prefix\n${found}`,
    );
  }
}

async function installLocations(
  db: OrganizationDatabase,
  actor: Actor,
  site: Site,
): Promise<Map<string, number>> {
  const find = async () => {
    const keys = site.locations.map(({ key }) => key);
    const rows = await findLiveByKeys(db, 'location', db.orgId, keys);
    return new Map(rows.map(({ external_key, id }) => [external_key, id]));
  };
  const there = await find();
  for (const { key, name, parent } of site.locations.filter((location) => !there.has(location.key))) {
    await createLocation(db, actor, { external_key: key, name, parent_external_key: parent ?? undefined });
  }
  return find();
}

/** Reuses locations of an earlier simulation, and resets their watches. */
async function installWatches(
  db: Database,
  actor: Actor,
  orgId: number,
  site: Site,
  watch: WatchPlan | null,
): Promise<void> {
  const watched = new Set((await listWatches(db, orgId)).map((each) => each.location_external_key));
  for (const stop of stopsOf(site)) {
    const isContinuous = watch !== null && !isPortal(stop);
    if (isContinuous || watched.has(stop.key)) {
      await setWatch(db, actor, {
        orgId,
        locationExternalKey: stop.key,
        mode: isContinuous ? 'continuous' : 'portal',
        maxGap: isContinuous ? watch.maxGap : null,
        coverage: 'all',
      });
    }
  }
}

async function installReaders(
  db: Database,
  actor: Actor,
  orgId: number,
  site: Site,
  watch: WatchPlan | null,
): Promise<InstalledReader[]> {
  const formats = loadBuiltinFormats();
  const installed: InstalledReader[] = [];
  for (const { name, topic, format, antennas } of site.readers) {
    const filter = ENCODERS[format].topicFilter(topic);
    const reader = await createReader(db, actor, formats, {
      orgId,
      name,
      topic: filter,
      format,
      policies: {},
      expectSeconds: watch === null ? null : watch.expected / MICROS_PER_SECOND,
    });
    for (const [index, locationExternalKey] of antennas.entries()) {
      await setAntenna(db, actor, { readerId: reader.id, port: index + 1, locationExternalKey });
    }
    const login = { username: reader.mqttUsername, password: reader.mqttPassword };
    installed.push({ id: reader.id, name, topic, login });
  }
  return installed;
}

const MARK = 'simulated';

interface Earlier {
  orgId: number;
  prefix: string;
  topicRoot: string;
}

/**
 * Deletes assets and readers of an earlier simulation with this prefix: the truth is known only for assets
 * never seen and readers that never read. Their scans stay.
 */
async function removeEarlier(db: Database, actor: Actor, earlier: Earlier): Promise<void> {
  await makeChange(db, actor, async (change) => changed(undefined, await removeAssets(change, earlier)));
  const readers = await listReaders(db, earlier.orgId);
  for (const { id } of readers.filter(({ topic }) => topic.startsWith(`${earlier.topicRoot}/`))) {
    await deleteReader(db, actor, id);
  }
}

async function removeAssets(change: Change, { orgId, prefix }: Earlier): Promise<ChangeEntry[]> {
  const rows = await change.any(sql.type(rowsOf<DeletedRow & { id: number; tags: string }>())`
    with removed as (
      update assets set deleted_at = now(), updated_at = ${NEXT_UPDATE}
      where org_id = ${orgId} and deleted_at is null and starts_with(external_key, ${prefix})
        and metadata ->> ${MARK} = 'true'
      returning id, external_key, deleted_at
    ), detached as (
      update tags set detached_at = now()
      where org_id = ${orgId} and detached_at is null and asset_id in (select id from removed)
      returning asset_id, id, tag_type, value
    )
    select removed.id, removed.external_key, removed.deleted_at, coalesce(tagged.tags, '[]') as tags
    from removed left join (
      select asset_id, ${loggedTags(sql.fragment`detached`)} as tags from detached group by asset_id
    ) tagged on tagged.asset_id = removed.id
    order by removed.id`);
  return rows.map((row) => deletionOf(orgId, 'asset', row.id, row, row.tags));
}
