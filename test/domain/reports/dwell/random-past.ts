import type { Micros } from '../../../../base/instant.ts';
import type { Window } from '../../../../domain/reports/window.ts';
import type { TestDatabase } from '../../../support/database.ts';
import type { Random } from '../../../support/random.ts';
import { Site } from '../../../support/site.ts';

/** Where assets of an organization were, and how its places hung together: all by numbers from 0, times in microseconds. */
export interface Past {
  assets: { deletedAt: Micros | null; transitions: { at: Micros; place: number }[] }[];
  /** Of each place: since when which place was its parent. A parent has the smaller number. */
  places: { since: Micros; parent: number | null }[][];
  /** The instants that anything happens at, and windows begin and end at. */
  instants: Micros[];
}

/** The night before clocks are set in Europe; scans are kept in microseconds, and shown in milliseconds. */
const START = Date.UTC(2026, 2, 28, 21) * 1_000;
const UNITS = [1, 400, 1_000, 1_000_000, 3_600_000_000, 5_400_000_000, 25_000_000_000];

export function randomPast(random: Random): Past {
  const unit = random.pick(UNITS);
  const instants = Array.from({ length: 16 }, (_, index) => START + index * unit);
  const someInstants = (most: number) =>
    [...new Set(Array.from({ length: random.below(most + 1) }, () => random.pick(instants)))].sort(
      (a, b) => a - b,
    );
  const count = 1 + random.below(5);
  return {
    instants,
    places: Array.from({ length: count }, (_, place) =>
      [START - 1_000, ...someInstants(3)].map((since) => ({
        since,
        parent: place === 0 || random.once(3) ? null : random.below(place),
      })),
    ),
    assets: Array.from({ length: 1 + random.below(4) }, () => {
      const deletedAt = random.once(3) ? random.pick(instants) + random.below(2) * 300 : null;
      const transitions: { at: Micros; place: number }[] = [];
      for (const at of someInstants(8)) {
        const place = random.below(count);
        if (place !== transitions.at(-1)?.place && (deletedAt === null || at <= deletedAt)) {
          transitions.push({ at, place });
        }
      }
      return { deletedAt, transitions };
    }),
  };
}

export function randomWindow(random: Random, { instants }: Past): Window {
  const cut = (at: Micros) => Math.floor(at / 1_000) * 1_000;
  const [from, to] = [random.pick(instants), random.pick(instants)].sort((a, b) => a - b) as [number, number];
  return { from: cut(from), to: cut(to) + (cut(from) === cut(to) ? 1_000 : 0) };
}

/** Stored in an organization of its own, by plain SQL. */
export async function storePast(
  database: TestDatabase,
  past: Past,
): Promise<{ orgId: number; assets: number[]; places: number[] }> {
  const { orgId } = await Site.create(database);
  const ids = async (table: string, count: number) =>
    (
      await database.rows<{ id: number }>(
        `insert into ${table} (org_id, external_key, name)
         select $1, 'KEY-' || n, 'Any' from generate_series(0, $2::integer - 1) n order by n returning id`,
        [orgId, count],
      )
    ).map(({ id }) => id);
  const places = await ids('locations', past.places.length);
  const assets = await ids('assets', past.assets.length);
  await database.rows(
    `update assets set deleted_at = time_of_micros(deleted.at)
     from unnest($2::integer[], $3::bigint[]) deleted (id, at)
     where assets.org_id = $1 and assets.id = deleted.id and deleted.at is not null`,
    [orgId, assets, past.assets.map(({ deletedAt }) => deletedAt)],
  );
  const transitions = past.assets.flatMap((asset, index) =>
    asset.transitions.map(({ at, place }) => ({ asset: assets[index], at, place: places[place] })),
  );
  await database.rows(
    `insert into location_transitions (org_id, asset_id, observed_at, location_id)
     select $1, asset, time_of_micros(at), place from unnest($2::integer[], $3::bigint[], $4::integer[]) t (asset, at, place)`,
    [
      orgId,
      transitions.map(({ asset }) => asset),
      transitions.map(({ at }) => at),
      transitions.map(({ place }) => place),
    ],
  );
  await database.rows(
    `insert into positions (org_id, asset_id, location_id, since, last_seen)
     select distinct on (asset_id) org_id, asset_id, location_id, observed_at, observed_at
     from location_transitions where org_id = $1 order by asset_id, observed_at desc`,
    [orgId],
  );
  const versions = past.places.flatMap((own, index) =>
    own.map(({ since, parent }) => ({
      place: places[index],
      since,
      parent: parent === null ? null : places[parent],
    })),
  );
  await database.rows('delete from location_versions where org_id = $1', [orgId]);
  await database.rows(
    `insert into location_versions (org_id, location_id, since, external_key, name, parent_id, is_deleted)
     select $1, place, time_of_micros(since), 'ANY', 'Any', parent, false
     from unnest($2::integer[], $3::bigint[], $4::integer[]) version (place, since, parent)`,
    [
      orgId,
      versions.map(({ place }) => place),
      versions.map(({ since }) => since),
      versions.map(({ parent }) => parent),
    ],
  );
  return { orgId, assets, places };
}

/** True if a place was one of these, or below one, at an instant. */
export function isWithin({ places }: Past, place: number, roots: readonly number[], at: Micros): boolean {
  if (roots.includes(place)) {
    return true;
  }
  const versions = places[place] ?? [];
  const parent = (versions.findLast(({ since }) => since <= at) ?? versions[0])?.parent ?? null;
  return parent !== null && isWithin({ places } as Past, parent, roots, at);
}
