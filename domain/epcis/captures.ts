import { ulid } from 'ulid';
import type { OrganizationConnection } from '../../db/timescale/connections/organization-door.ts';
import { texts } from '../../db/timescale/queries/array-parameters.ts';
import { rowsOf, sql } from '../../db/timescale/queries/sql.ts';
import type { CheckedEvent } from './check-capture.ts';

/** Announced when a capture waits to be recorded. */
export const CAPTURE_STORED = 'capture_stored';

/** Unfinished ones of an organization, some MiB each at most. */
export const MOST_WAITING = 50;

/** Errors of each capture that a list shows. */
const LISTED_ERRORS = 10;

/** Times are `timestamptz` text, `errors` and `reads` JSON. */
export interface CaptureRow {
  id: string;
  created_at: string;
  finished_at: string | null;
  proceeds: boolean;
  errors: string;
  reads: string | null;
}

/** @returns its id; null if too many wait. */
export async function storeCapture(
  db: OrganizationConnection,
  { apiKeyId, proceeds, events }: { apiKeyId: string; proceeds: boolean; events: readonly CheckedEvent[] },
): Promise<string | null> {
  const id = ulid();
  const column = (name: 'id' | 'hash' | 'fault' | 'text') =>
    sql.fragment`${sql.binary(texts(events.map((event) => event[name])))}::text[]`;
  const stored = await db.maybeOne(sql.type(rowsOf<{ id: string }>())`
    with stored as (
      insert into epcis_captures (org_id, id, api_key_id, proceeds, event_ids, hashes, faults, events)
      select ${db.orgId}, ${id}, ${apiKeyId}, ${proceeds}, ${column('id')}, ${column('hash')}, ${column('fault')},
        ${column('text')}
      where (select count(*) from epcis_captures where org_id = ${db.orgId} and finished_at is null) < ${MOST_WAITING}
      returning id
    )
    select id, pg_notify(${CAPTURE_STORED}::text, '') is null as is_told from stored`);
  return stored?.id ?? null;
}

export async function findCapture(db: OrganizationConnection, id: string): Promise<CaptureRow | null> {
  return db.maybeOne(sql.prepared('find-capture', rowsOf<CaptureRow>())`
    select id, created_at, finished_at, proceeds, errors::text, reads::text
    from epcis_captures where org_id = ${db.orgId} and id = ${id}`);
}

/** The newest first, without most of their errors. @param before the id of the last one of the page before. */
export async function listCaptures(
  db: OrganizationConnection,
  { before, limit }: { before: string | null; limit: number },
): Promise<readonly CaptureRow[]> {
  return db.any(sql.prepared('list-captures', rowsOf<CaptureRow>())`
    select id, created_at, finished_at, proceeds, reads::text, coalesce((
      select json_agg(error) from (select error from json_array_elements(errors) error limit ${LISTED_ERRORS}) listed
    ), '[]')::text as errors
    from epcis_captures where org_id = ${db.orgId} and (${before}::text is null or id < ${before}::text)
    order by id desc limit ${limit}`);
}
