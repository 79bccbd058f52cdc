import { MICROS_PER_SECOND, type Micros } from '../../../base/instant.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Change } from '../../changes/make-change.ts';
import type { RuleSettings } from './settings.ts';
import type { RuleRef } from './stored-rules.ts';

export interface NewVersion extends RuleRef {
  version: number;
  /** Null: from now on. */
  validFrom: Micros | null;
  isEnded: boolean;
  settings: RuleSettings;
}

/** @returns from when on it counts. */
export async function insertVersion(change: Change, given: NewVersion): Promise<Micros> {
  const { orgId, id, version, validFrom, isEnded, settings } = given;
  const { kind, name, after, thenAfter, locationId, hours, bound, selection, mailTo } = settings;
  const { assetIds, withinLocationId, metadata, readerIds } = selection;
  const { from } = await change.one(sql.type(rowsOf<{ from: Micros }>())`
    insert into rules (
      org_id, id, version, valid_from, is_ended, kind, name, after_seconds, then_seconds, location_id, hours, time_zone,
      asset_ids, within_location_id, metadata, reader_ids, mail_to, reading, above, below,
      hysteresis
    )
    values (
      ${orgId}, ${id}, ${version}, coalesce(time_of_micros(${validFrom}::bigint), clock_timestamp()), ${isEnded},
      ${kind}, ${name}, ${inSeconds(after)}::integer, ${inSeconds(thenAfter)}::integer, ${locationId}::integer,
      ${hours?.text ?? null}::text, ${hours?.timeZone ?? null}::text, ${ids(assetIds)}, ${withinLocationId}::integer,
      ${JSON.stringify(metadata)}::jsonb, ${ids(readerIds)}, ${sql.array(mailTo, 'text')},
      ${bound.reading}::text, ${bound.above}::float8, ${bound.below}::float8, ${bound.hysteresis}::float8
    )
    returning micros_of_time(valid_from) as from`);
  return from;
}

function inSeconds(duration: Micros | null): number | null {
  return duration === null ? null : duration / MICROS_PER_SECOND;
}

function ids(given: readonly number[] | null) {
  return given === null ? null : sql.array(given, 'int4');
}
