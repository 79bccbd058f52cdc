import type { Micros } from '../../../base/instant.ts';
import { integers, timestamps } from '../../../db/timescale/queries/array-parameters.ts';
import { type FragmentSqlToken, NO_ROWS, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { hasRulesOfReadings, measuringTags } from '../conditions/load-measured.ts';

export interface Revision {
  subject: 'asset' | 'reader';
  id: number;
  since: Micros;
}

/** Revisions of locations and of the organization that are replaced in a turn, and at a time: each may be of all assets. */
const SPREAD_IN_TURN = 100;
const SPREAD_AT_ONCE = 10;

/**
 * Takes the oldest revisions of an organization, fewer of those that concern very many.
 *
 * @param share of each of the two.
 */
export async function takeRevisions(
  db: Connection,
  orgId: number,
  share: number,
): Promise<readonly Revision[]> {
  return db.any(sql.prepared('take-alert-revisions', rowsOf<Revision>())`
    delete from alert_revisions revised using (
      select first.ctid as row
      from (values (false), (true)) kind (is_bulk)
        cross join lateral (
          select ctid from alert_revisions
          where org_id = ${orgId} and is_bulk = kind.is_bulk and subject in ('asset', 'reader')
          order by id limit ${share}::integer
        ) first
    ) taken
    where revised.ctid = taken.row
    returning revised.subject, revised.subject_id as id, micros_of_time(revised.since) as since`);
}

/** Postpones work for which there was no time. */
export async function putOff(
  db: Connection,
  orgId: number,
  subject: Revision['subject'],
  revisions: readonly Pick<Revision, 'id' | 'since'>[],
): Promise<void> {
  if (revisions.length > 0) {
    await db.exec(sql.prepared('put-off-alert-revisions', NO_ROWS)`
      insert into alert_revisions (org_id, subject, subject_id, since, is_bulk)
      select ${orgId}::integer, ${subject}::text, id, since, true
      from unnest(${sql.binary(integers(revisions.map(({ id }) => id)))}::integer[],
        ${sql.binary(timestamps(revisions.map(({ since }) => since)))}::timestamptz[]) as given (id, since)`);
  }
}

/**
 * Merges revisions about the same thing into the earliest: for an organization that is passed over they would
 * accumulate.
 */
export async function mergeRevisions(db: Connection, orgId: number): Promise<void> {
  await db.exec(sql.type(NO_ROWS)`
    with taken as (delete from alert_revisions where org_id = ${orgId} returning *)
    insert into alert_revisions (org_id, subject, subject_id, since, is_bulk)
    select org_id, subject, subject_id, min(since), bool_and(is_bulk) from taken group by org_id, subject, subject_id`);
}

export interface Spread {
  /** The whole organization is revised, for example after a change of its rules. */
  isWhole: boolean;
  /** A location is, as where it was moved in the tree. */
  isOfLocation: boolean;
  /** There may be more of them. */
  isBehind: boolean;
}

/**
 * Replaces revisions of locations and of the organization by one per asset, except those still waiting: if a reader's
 * messages are late all the time, there are more than can be derived. An asset is missing from the end of a sweep on,
 * so the location of a sweep that ended after `now` waits until then.
 *
 * @param isLate whether the turn has taken long enough; some are replaced in any case.
 */
export async function spreadRevisions(
  db: Connection,
  orgId: number,
  { now, isLate }: { now: Micros; isLate(): boolean },
): Promise<Spread> {
  const all = { isWhole: false, isOfLocation: false, isBehind: true };
  for (let taken = 0; all.isBehind && taken < SPREAD_IN_TURN; taken += SPREAD_AT_ONCE) {
    const some = await spreadSome(db, orgId, now);
    all.isWhole ||= some.isWhole;
    all.isOfLocation ||= some.isOfLocation;
    all.isBehind = some.isBehind;
    if (isLate()) {
      break;
    }
  }
  return all;
}

async function spreadSome(db: Connection, orgId: number, now: Micros): Promise<Spread> {
  const wide = await db.any(sql.prepared(
    'take-wide-revisions',
    rowsOf<{ subject: string; subject_id: number | null; since: Micros; count: number }>(),
  )`
    with taken as (
      delete from alert_revisions revised using (
        select ctid as row from alert_revisions
        where org_id = ${orgId} and not is_bulk and subject in ('location', 'listening', 'organization')
          and not (subject = 'location' and exists (
            select from sweeps where sweeps.org_id = ${orgId} and sweeps.location_id = alert_revisions.subject_id
              -- Not for ever, where the clock was set back since.
              and ended_at >= time_of_micros(${now}::bigint)
              and ended_at < time_of_micros(${now}::bigint) + interval '1 hour'))
        order by id limit ${SPREAD_AT_ONCE}::integer
      ) first
      where revised.ctid = first.row
      returning subject, subject_id, since
    )
    select subject, subject_id, micros_of_time(min(since)) as since, count(*) as count from taken group by 1, 2`);
  for (const { subject, subject_id: id, since } of wide) {
    if (subject === 'organization') {
      await reviseOrganization(db, orgId, since);
    } else if (id !== null) {
      await reviseThere(db, orgId, { subject, id, since });
    }
  }
  return {
    isWhole: wide.some(({ subject }) => subject === 'organization'),
    isOfLocation: wide.some(({ subject }) => subject === 'location'),
    isBehind: wide.reduce((sum, { count }) => sum + count, 0) === SPREAD_AT_ONCE,
  };
}

async function reviseOrganization(db: Connection, orgId: number, since: Micros): Promise<void> {
  await db.exec(sql.prepared('revise-organization', NO_ROWS)`
    insert into alert_revisions (org_id, subject, subject_id, since, is_bulk)
    select ${orgId}::integer, 'asset', asset_id, time_of_micros(${since}::bigint), true
    from (
      (
        select asset_id from positions where org_id = ${orgId} and location_id is not null
        union
        select tag.asset_id from ${measuringTags(orgId)} where ${hasRulesOfReadings(orgId)}
      )
      except
      ${pending(orgId, since)}
    ) there
    order by asset_id`);
  await db.exec(sql.prepared('revise-readers', NO_ROWS)`
    insert into alert_revisions (org_id, subject, subject_id, since)
    select org_id, 'reader', id, time_of_micros(${since}::bigint) from readers where org_id = ${orgId}`);
}

/** Revises the assets at a location and below it, or where a reader has antennas. */
async function reviseThere(
  db: Connection,
  orgId: number,
  { subject, id, since }: { subject: string; id: number; since: Micros },
): Promise<void> {
  await db.exec(sql.prepared('revise-at-locations', NO_ROWS)`
    with recursive below as (
      select given.id from (
        select ${id}::integer as id where ${subject} = 'location'
        union
        select location_id from antenna_versions
        where org_id = ${orgId} and reader_id = ${id} and location_id is not null and ${subject} = 'listening'
      ) given
      union
      -- "offset 0" keeps to the index: a join, for a reader with many antennas, reads all locations at each level.
      select child.id from below cross join lateral (
        select id from locations where org_id = ${orgId} and parent_id = below.id offset 0
      ) child
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

/** Assets for which nothing else has to be looked at. */
function pending(orgId: number, since: Micros): FragmentSqlToken {
  return sql.fragment`
    select subject_id from alert_revisions
    where org_id = ${orgId} and is_bulk and subject = 'asset' and since <= time_of_micros(${since}::bigint)`;
}
