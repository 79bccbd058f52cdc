import type { Micros } from '../../../base/instant.ts';
import { integers } from '../../../db/timescale/queries/array-parameters.ts';
import { type FragmentSqlToken, NO_ROWS, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';

export interface Revision {
  orgId: number;
  subject: 'asset' | 'reader';
  id: number;
  since: Micros;
}

interface RevisionRow {
  org_id: number;
  subject: Revision['subject'];
  subject_id: number;
  since: Micros;
}

/**
 * Takes the oldest revisions of each organization; of those that are of very many fewer.
 *
 * @param share of an organization.
 */
export async function takeRevisions(
  db: Connection,
  orgIds: readonly number[],
  share: number,
): Promise<Revision[]> {
  const rows = await db.any(sql.prepared('take-alert-revisions', rowsOf<RevisionRow>())`
    delete from alert_revisions revised using (
      select first.ctid as row
      from unnest(${sql.binary(integers(orgIds))}::integer[]) as given (org_id)
        cross join (values (false), (true)) kind (is_bulk)
        cross join lateral (
          select ctid from alert_revisions
          where org_id = given.org_id and is_bulk = kind.is_bulk and subject in ('asset', 'reader')
          order by id limit ${share}::integer
        ) first
    ) taken
    where revised.ctid = taken.row
    returning revised.org_id, revised.subject, revised.subject_id, micros_of_time(revised.since) as since`);
  return rows.map(({ org_id: orgId, subject, subject_id: id, since }) => ({ orgId, subject, id, since }));
}

/** A revision of all assets of an organization, or of those that were at a location or where a reader listens. */
export interface WideRevision {
  orgId: number;
  subject: 'location' | 'listening' | 'organization';
  /** Null of an organization. */
  id: number | null;
  since: Micros;
}

export async function takeWideRevisions(db: Connection): Promise<WideRevision[]> {
  const rows = await db.any(sql.prepared(
    'take-wide-revisions',
    rowsOf<{ org_id: number; subject: WideRevision['subject']; subject_id: number | null; since: Micros }>(),
  )`
    with taken as (
      delete from alert_revisions where not is_bulk and subject in ('location', 'listening', 'organization')
      returning org_id, subject, subject_id, since
    )
    select org_id, subject, subject_id, micros_of_time(min(since)) as since from taken group by 1, 2, 3`);
  return rows.map(({ org_id: orgId, subject, subject_id: id, since }) => ({ orgId, subject, id, since }));
}

/**
 * Puts those of each of the assets in their place, but those that wait to be taken already: where a reader's messages come
 * late all the time there are more of them than can be derived.
 */
export async function spreadRevisions(db: Connection, wide: readonly WideRevision[]): Promise<void> {
  for (const { orgId, subject, id, since } of wide) {
    if (subject === 'organization') {
      await db.exec(sql.prepared('revise-organization', NO_ROWS)`
        insert into alert_revisions (org_id, subject, subject_id, since, is_bulk)
        select ${orgId}::integer, 'asset', asset_id, time_of_micros(${since}::bigint), true
        from (
          select asset_id from positions where org_id = ${orgId} and location_id is not null
          except
          ${pending(orgId, since)}
        ) there
        order by asset_id`);
      await db.exec(sql.prepared('revise-readers', NO_ROWS)`
        insert into alert_revisions (org_id, subject, subject_id, since)
        select org_id, 'reader', id, time_of_micros(${since}::bigint) from readers where org_id = ${orgId}`);
    } else if (id !== null) {
      await db.exec(sql.prepared('revise-at-locations', NO_ROWS)`
        with recursive below as (
          select given.id from (
            select ${id}::integer as id where ${subject} = 'location'
            union
            select location_id from antenna_versions
            where org_id = ${orgId} and reader_id = ${id} and location_id is not null and ${subject} = 'listening'
          ) given
          union
          select location.id from below
          join locations location on location.org_id = ${orgId} and location.parent_id = below.id
        )
        insert into alert_revisions (org_id, subject, subject_id, since, is_bulk)
        select ${orgId}::integer, 'asset', asset_id, time_of_micros(${since}::bigint), true
        from (
          (
            select asset_id from positions where org_id = ${orgId} and location_id in (select id from below)
            union
            select asset_id from location_transitions where org_id = ${orgId}
              and observed_at >= time_of_micros(${since}::bigint) and location_id in (select id from below)
          )
          except
          ${pending(orgId, since)}
        ) there
        order by asset_id`);
    }
  }
}

/** Assets of which no more than that has to be looked at. */
function pending(orgId: number, since: Micros): FragmentSqlToken {
  return sql.fragment`
    select subject_id from alert_revisions
    where org_id = ${orgId} and is_bulk and subject = 'asset' and since <= time_of_micros(${since}::bigint)`;
}
