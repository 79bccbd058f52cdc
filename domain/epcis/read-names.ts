import { bigints, integers, texts } from '../../db/timescale/queries/array-parameters.ts';
import { rowsOf, sql } from '../../db/timescale/queries/sql.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';
import { namedByBarcode } from '../identity/barcode-key.ts';
import { keyOf } from '../identity/named.ts';
import { namedBy } from '../tracking/tag-key.ts';
import type { TagType } from '../tracking/tag-type.ts';
import { type Arrival, bareTerm, isOfOneThing, type Names, type Told, uriOf } from './event.ts';

export type Organization = Connection & { readonly orgId: number };

/** Where the API is reached; null if nobody said so. */
export type Base = string | null;

/** The name of an asset or a location without a GS1 key: its address. */
export function addressOf(base: Base, resource: 'assets' | 'locations', id: number): string {
  return base === null ? `urn:tagtrail:${resource}:${id}` : `${base}/api/v1/${resource}/${id}`;
}

/**
 * Names as they were at the time of each arrival: the first tag by then that names one thing by GS1's standards, and the terms
 * of the location. So an event has the same names, and with them its id, whenever it is asked for.
 */
export async function readNames(
  db: Connection,
  orgId: number,
  base: Base,
  arrivals: readonly Arrival[],
): Promise<(arrival: Arrival) => Names> {
  const epcs = await readEpcs(db, orgId, new Set(arrivals.map(({ assetId }) => assetId)));
  const places = await readPlaces(db, orgId, arrivals);
  return (arrival) => {
    const { assetId, locationId, at } = arrival;
    const named = epcs.get(assetId)?.find(({ from, to }) => from <= at && (to === null || to > at));
    const place = places.get(placeKey(arrival));
    return {
      epc: named?.epc ?? addressOf(base, 'assets', assetId),
      place: place?.gln ? linkOf(place.gln) : addressOf(base, 'locations', locationId),
      bizStep: place?.biz_step ? bareTerm(place.biz_step) : null,
      disposition: place?.disposition ? bareTerm(place.disposition) : null,
    };
  };
}

/** {@link readNames} for events, and for what happened instead of them. */
export function namesFor(db: Connection, orgId: number, base: Base, told: readonly Told[]) {
  const arrivals = told.flatMap((each) => (each.instead ? [each, each.instead] : [each]));
  return readNames(db, orgId, base, arrivals);
}

function linkOf(gln: string): string {
  const [key, extension = '0'] = gln.split('.', 2);
  return `https://id.gs1.org/414/${key}${extension === '0' ? '' : `/254/${encodeURIComponent(extension)}`}`;
}

interface Epc {
  epc: string;
  /** Microseconds since 1970: from when, and until when. */
  from: number;
  to: number | null;
}

/** Tags of an asset that are looked at. */
const MOST_TAGS = 50;

async function readEpcs(
  db: Connection,
  orgId: number,
  assetIds: ReadonlySet<number>,
): Promise<Map<number, Epc[]>> {
  const rows = await db.any(sql.prepared(
    'read-tags-of-arrivals',
    rowsOf<{ asset_id: number; tag_type: TagType; value: string; from: number; to: number | null }>(),
  )`
    select asset.id as asset_id, tag.tag_type, tag.value, micros_of_time(tag.attached_at) as from, micros_of_time(tag.detached_at) as to
    from unnest(${sql.binary(integers([...assetIds]))}::integer[]) asset (id)
    cross join lateral (
      select * from (
        select id, tag_type, value, attached_at, detached_at from tags
        where org_id = ${orgId} and asset_id = asset.id and normal_key is not null offset 0
      ) own order by id limit ${MOST_TAGS}
    ) tag
    order by tag.id`);
  const epcs = new Map<number, Epc[]>();
  for (const { asset_id: assetId, tag_type: tagType, value, from, to } of rows) {
    const named = namedBy(tagType, value);
    const epc = named !== null && isOfOneThing(named) ? uriOf(named) : null;
    if (epc !== null) {
      epcs.set(assetId, [...(epcs.get(assetId) ?? []), { epc, from, to }]);
    }
  }
  return epcs;
}

interface Place {
  location_id: number;
  at: number;
  gln: string | null;
  biz_step: string | null;
  disposition: string | null;
}

async function readPlaces(
  db: Connection,
  orgId: number,
  arrivals: readonly Arrival[],
): Promise<Map<string, Place>> {
  const distinct = [...new Map(arrivals.map((arrival) => [placeKey(arrival), arrival])).values()];
  const rows = await db.any(sql.prepared('read-terms-of-arrivals', rowsOf<Place>())`
    select arrival.location_id, arrival.at, version.gln, version.biz_step, version.disposition
    from unnest(
      ${sql.binary(integers(distinct.map(({ locationId }) => locationId)))}::integer[],
      ${sql.binary(bigints(distinct.map(({ at }) => at)))}::bigint[]) arrival (location_id, at)
    cross join lateral (
      select gln, biz_step, disposition from location_versions
      where org_id = ${orgId} and location_id = arrival.location_id and since <= time_of_micros(arrival.at)
      order by since desc limit 1
    ) version`);
  return new Map(rows.map((row) => [placeKey({ locationId: row.location_id, at: row.at }), row]));
}

function placeKey({ locationId, at }: Pick<Arrival, 'locationId' | 'at'>): string {
  return `${locationId} ${at}`;
}

/** The assets that ever had one of these names; null if any of them cannot be looked up. */
export async function findAssets(
  db: Organization,
  base: Base,
  names: readonly string[],
): Promise<number[] | null> {
  const prefix = addressOf(base, 'assets', 0).slice(0, -1);
  const keys: string[] = [];
  const ids: number[] = [];
  for (const name of names) {
    const named = namedByBarcode(name);
    if (named !== null) {
      keys.push(keyOf(named));
    } else if (name.startsWith(prefix) && /^[1-9]\d{0,9}$/.test(name.slice(prefix.length))) {
      ids.push(Number(name.slice(prefix.length)));
    }
  }
  const rows = await db.any(sql.prepared('find-assets-of-names', rowsOf<{ asset_id: number }>())`
    select asset_id from (
      select asset_id from tags
      where org_id = ${db.orgId} and normal_key = any(${sql.binary(texts(keys))}::text[]) and detached_at is null
      union all
      select asset_id from tags
      where org_id = ${db.orgId} and normal_key = any(${sql.binary(texts(keys))}::text[]) and detached_at is not null
    ) tag
    where asset_id is not null
    limit ${MOST_ASSETS + 1}`);
  const found = new Set([...ids.filter((id) => id <= 2_147_483_647), ...rows.map(({ asset_id: id }) => id)]);
  return found.size > MOST_ASSETS ? null : [...found];
}

const MOST_ASSETS = 200;
