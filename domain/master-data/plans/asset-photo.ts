import { conflict, notFound, orNotFound } from '../../../base/errors.ts';
import { ORGANIZATION_LOCKS } from '../../../db/timescale/connections/advisory-locks.ts';
import type {
  OrganizationConnection,
  OrganizationDatabase,
} from '../../../db/timescale/connections/organization-door.ts';
import { integers } from '../../../db/timescale/queries/array-parameters.ts';
import { type FragmentSqlToken, NO_ROWS, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Actor } from '../../changes/actor.ts';
import type { Fields } from '../../changes/entry.ts';
import { changed, makeChange, type OrganizationChange, unchanged } from '../../changes/make-change.ts';
import { lockLiveAsset } from '../assets/queries.ts';
import { rowById } from '../by-id-or-key.ts';
import { type ImageType, lookAtImage } from './image/look-at-image.ts';
import { piecesOf } from './stored-plan.ts';

/** A photo without its image. */
export interface StoredPhoto {
  asset_id: number;
  media_type: ImageType;
  width: number;
  height: number;
  size: number;
  /** Hex. */
  sha256: string;
}

/** Bytes of all photos of an organization. */
export const MOST_PHOTO_BYTES = 4 * 1_073_741_824;

const COLUMNS: FragmentSqlToken = sql.fragment`asset_id, media_type, width, height, octet_length(image) as size,
  encode(sha256, 'hex') as sha256`;

export function listPhotos(
  db: OrganizationConnection,
  assetIds: readonly number[],
): Promise<readonly StoredPhoto[]> {
  return db.any(sql.prepared('list-photos', rowsOf<StoredPhoto>())`
    select ${COLUMNS} from asset_photos
    where org_id = ${db.orgId} and asset_id = any(${sql.binary(integers(assetIds))}::integer[])`);
}

export async function findPhoto(db: OrganizationConnection, assetId: number): Promise<StoredPhoto | null> {
  const [photo = null] = await listPhotos(db, [assetId]);
  return photo;
}

/** The image, read no faster than it is sent. @throws AppError `not_found` if it is replaced or removed meanwhile. */
export function readPhoto(
  db: OrganizationConnection,
  { asset_id: id, size, sha256 }: StoredPhoto,
): AsyncGenerator<Buffer, void> {
  return piecesOf(size, async (from, length) => {
    const row = await db.maybeOne(sql.prepared('read-photo', rowsOf<{ piece: Buffer }>())`
      select substring(image from ${from}::integer for ${length}::integer) as piece from asset_photos
      where org_id = ${db.orgId} and asset_id = ${id} and sha256 = decode(${sha256}, 'hex')`);
    if (row === null) {
      throw notFound('Photo not found');
    }
    return row.piece;
  });
}

const MISSING = 'Asset not found';

/**
 * Gives an asset a photo, or another one.
 *
 * @throws Invalid for an image that cannot be shown; AppError `not_found`; `conflict` if all photos would be too large.
 */
export function setPhoto(
  db: OrganizationDatabase,
  actor: Actor,
  assetId: number,
  image: Buffer,
): Promise<StoredPhoto> {
  const { mediaType, width, height } = lookAtImage(image);
  return makeChange(db, actor, async (change) => {
    const { orgId } = change;
    const externalKey = await orNotFound(MISSING, lockLiveAsset(change, assetId));
    const before = await findPhoto(change, assetId);
    await requireRoomFor(change, image.length - (before?.size ?? 0));
    await change.exec(sql.type(NO_ROWS)`
      insert into asset_photos (org_id, asset_id, media_type, width, height, image, sha256)
      select ${orgId}, ${assetId}, ${mediaType}, ${width}, ${height}, image, sha256(image)
      from (select ${sql.binary(image)}::bytea as image) given
      on conflict (org_id, asset_id) do update set media_type = excluded.media_type, width = excluded.width,
        height = excluded.height, image = excluded.image, sha256 = excluded.sha256, created_at = now()`);
    const after = await orNotFound(MISSING, findPhoto(change, assetId));
    return changed(after, [
      {
        orgId,
        action: 'set_photo',
        resource: { type: 'asset', id: assetId, externalKey },
        before: { photo: loggedPhoto(before) },
        after: { photo: loggedPhoto(after) },
      },
    ]);
  });
}

/** Also from a retired asset, whose photo counts. */
export function removePhoto(db: OrganizationDatabase, actor: Actor, assetId: number): Promise<void> {
  return makeChange(db, actor, async (change) => {
    const { orgId } = change;
    const removed = await change.maybeOne(sql.type(rowsOf<StoredPhoto & { external_key: string }>())`
      with removed as (
        delete from asset_photos where org_id = ${orgId} and asset_id = ${assetId} returning ${COLUMNS}
      )
      select removed.*, asset.external_key
      from removed cross join ${rowById('asset', orgId, assetId)} asset`);
    return removed === null
      ? unchanged(undefined)
      : changed(undefined, [
          {
            orgId,
            action: 'set_photo',
            resource: { type: 'asset', id: assetId, externalKey: removed.external_key },
            before: { photo: loggedPhoto(removed) },
            after: { photo: null },
          },
        ]);
  });
}

/** Writes a note on an asset into the change log, which keeps it. @throws AppError `not_found` */
export function addNote(
  db: OrganizationDatabase,
  actor: Actor,
  assetId: number,
  note: string,
): Promise<void> {
  return makeChange(db, actor, async (change) => {
    const externalKey = await orNotFound(MISSING, lockLiveAsset(change, assetId));
    return changed(undefined, [
      {
        orgId: change.orgId,
        action: 'note',
        resource: { type: 'asset', id: assetId, externalKey },
        before: null,
        after: { note },
      },
    ]);
  });
}

function loggedPhoto(photo: StoredPhoto | null): Fields | null {
  return photo && { media_type: photo.media_type, size: photo.size, sha256: photo.sha256 };
}

/** Others of the organization that add rows wait until the transaction ends. @throws AppError `conflict` */
async function requireRoomFor(change: OrganizationChange, more: number): Promise<void> {
  const { orgId } = change;
  await change.exec(sql.type(NO_ROWS)`
    select pg_advisory_xact_lock(${ORGANIZATION_LOCKS.room}::integer, ${orgId}::integer)`);
  const { bytes } = await change.one(sql.type(rowsOf<{ bytes: number }>())`
    select coalesce(sum(octet_length(image)), 0)::int8 as bytes from asset_photos where org_id = ${orgId}`);
  if (more > 0 && bytes + more > MOST_PHOTO_BYTES) {
    throw conflict(
      `Photos of organization ${orgId} take ${bytes} bytes; the maximum is ${MOST_PHOTO_BYTES}; remove one that is no longer needed`,
    );
  }
}
