import { notFound } from '../../../base/errors.ts';
import type { OrganizationConnection } from '../../../db/timescale/connections/organization-door.ts';
import { type FragmentSqlToken, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Fields } from '../../changes/entry.ts';
import type { Scale } from '../../tracking/location/position.ts';
import type { ImageType } from './image/look-at-image.ts';

/** A plan without its image. */
export interface StoredPlan {
  id: number;
  name: string;
  location_id: number | null;
  location_external_key: string | null;
  location_name: string | null;
  media_type: ImageType;
  width: number;
  height: number;
  size: number;
  /** Hex. */
  sha256: string;
  version: number;
  place_count: number;
  /** x and y of its two points; null without a scale, as is `scale_metres`. */
  scale_points: number[] | null;
  scale_metres: number | null;
  updated_at: string;
}

const COLUMNS: FragmentSqlToken = sql.fragment`plan.id, plan.name, plan.location_id,
  location.external_key as location_external_key, location.name as location_name,
  plan.media_type, plan.width, plan.height, octet_length(plan.image) as size, encode(plan.sha256, 'hex') as sha256,
  plan.scale_points, plan.scale_metres, plan.version, plan.updated_at, (
    select count(*) from plan_places place where place.org_id = plan.org_id and place.plan_id = plan.id) as place_count`;

const WITH_LOCATION: FragmentSqlToken = sql.fragment`plans plan
  left join locations location on location.org_id = plan.org_id and location.id = plan.location_id`;

/** All plans of an organization, few enough for a screen. */
export function listPlans(db: OrganizationConnection): Promise<readonly StoredPlan[]> {
  return db.any(sql.prepared('list-plans', rowsOf<StoredPlan>())`
    select ${COLUMNS} from ${WITH_LOCATION} where plan.org_id = ${db.orgId} order by plan.name, plan.id`);
}

export function findPlan(db: OrganizationConnection, id: number): Promise<StoredPlan | null> {
  return db.maybeOne(sql.prepared('find-plan', rowsOf<StoredPlan>())`
    select ${COLUMNS} from ${WITH_LOCATION} where plan.org_id = ${db.orgId} and plan.id = ${id}`);
}

/** Null if there is none. Waits for others that change it. */
export async function lockPlan(transaction: OrganizationConnection, id: number): Promise<StoredPlan | null> {
  const locked = await transaction.maybeOne(sql.type(rowsOf<{ id: number }>())`
    select id from plans where org_id = ${transaction.orgId} and id = ${id} for no key update`);
  return locked === null ? null : findPlan(transaction, id);
}

export function scaleOf({ scale_points: points, scale_metres: metres }: StoredPlan): Scale | null {
  if (points === null || metres === null) {
    return null;
  }
  const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = points;
  return {
    points: [
      [x1, y1],
      [x2, y2],
    ],
    metres,
  };
}

/** For the change log. */
export function planFields(plan: StoredPlan): Fields {
  const { name, location_external_key, media_type, width, height, size, sha256 } = plan;
  return { name, location_external_key, media_type, width, height, size, sha256, scale: scaleOf(plan) };
}

/** Bytes of a piece: other requests wait at most for one. */
const PIECE = 131_072;

/**
 * The image of a plan, read no faster than it is sent.
 *
 * @throws AppError `not_found` if the plan is deleted meanwhile.
 */
export function readImage(
  db: OrganizationConnection,
  { id, size }: { id: number; size: number },
): AsyncGenerator<Buffer, void> {
  return piecesOf(size, async (from, length) => {
    const row = await db.maybeOne(sql.prepared('read-plan-image', rowsOf<{ piece: Buffer }>())`
      select substring(image from ${from}::integer for ${length}::integer) as piece from plans
      where org_id = ${db.orgId} and id = ${id}`);
    if (row === null) {
      throw notFound('Plan not found');
    }
    return row.piece;
  });
}

/** @param read reads some bytes, counted from 1. */
export async function* piecesOf(
  size: number,
  read: (from: number, length: number) => Promise<Buffer>,
): AsyncGenerator<Buffer, void> {
  for (let from = 1; from <= size; from += PIECE) {
    yield await read(from, PIECE);
  }
}
