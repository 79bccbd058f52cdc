import { orNotFound } from '../../../base/errors.ts';
import { MICROS_PER_SECOND, type Micros } from '../../../base/instant.ts';
import { type FragmentSqlToken, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import type { Bound } from '../../tracking/reading-bound.ts';
import type { Kind, MetadataTerm } from './rule.ts';
import type { RuleSettings } from './settings.ts';

export const COLUMNS_BUT_ASSETS = sql.fragment`rule.kind, rule.name, rule.after_seconds, rule.then_seconds,
  rule.location_id, rule.hours, rule.time_zone, rule.within_location_id, rule.metadata, rule.reader_ids, rule.mail_to,
  rule.reading, rule.above, rule.below, rule.hysteresis`;

/** The columns of a version with what people set. */
export const SETTINGS_COLUMNS = sql.fragment`${COLUMNS_BUT_ASSETS}, rule.asset_ids`;

export interface SettingsRow extends Bound {
  kind: Kind;
  name: string;
  after_seconds: number | null;
  then_seconds: number | null;
  location_id: number | null;
  hours: string | null;
  time_zone: string | null;
  asset_ids: number[] | null;
  within_location_id: number | null;
  metadata: MetadataTerm[];
  reader_ids: number[] | null;
  mail_to: string[];
}

export function toSettings(row: SettingsRow): RuleSettings {
  return {
    ...{ kind: row.kind, name: row.name, locationId: row.location_id, mailTo: row.mail_to },
    after: row.after_seconds === null ? null : row.after_seconds * MICROS_PER_SECOND,
    thenAfter: row.then_seconds === null ? null : row.then_seconds * MICROS_PER_SECOND,
    hours: row.hours === null || row.time_zone === null ? null : { text: row.hours, timeZone: row.time_zone },
    bound: { reading: row.reading, above: row.above, below: row.below, hysteresis: row.hysteresis },
    selection: {
      assetIds: row.asset_ids,
      withinLocationId: row.within_location_id,
      metadata: row.metadata,
      readerIds: row.reader_ids,
    },
  };
}

export interface RuleRef {
  orgId: number;
  id: string;
}

/** A live rule: its last setting, the time from which that counts, and its end if one was set. */
export interface StoredRule extends RuleRef {
  settings: RuleSettings;
  version: number;
  validFrom: Micros;
  endsAt: Micros | null;
  /** The rule's location was deleted, and so ended the rule. */
  locationDeletedAt: Micros | null;
  createdAt: Micros;
}

interface RuleRow extends SettingsRow {
  org_id: number;
  id: string;
  version: number;
  valid_from: Micros;
  ends_at: Micros | null;
  location_deleted_at: Micros | null;
  created_at: Micros;
}

/** Table `rule` of live rules, for a from clause: one row each, with when it ends and was created, and its location was deleted. */
function liveRules(orgId: number): FragmentSqlToken {
  return sql.fragment`(
    select setting.*, ending.ends_at, first.recorded_at as created_at, latest.version as latest_version,
      place.deleted_at as location_deleted_at
    from (
      select distinct on (id) * from rules where org_id = ${orgId} and not is_ended order by id, version desc
    ) setting
    join rules first on first.org_id = setting.org_id and first.id = setting.id and first.version = 1
    left join locations place on place.org_id = setting.org_id and place.id = setting.location_id
    cross join lateral (
      select max(version) as version from rules
      where org_id = setting.org_id and id = setting.id
    ) latest
    cross join lateral (
      select min(valid_from) as ends_at from rules
      where org_id = setting.org_id and id = setting.id and version > setting.version
    ) ending
    where ending.ends_at is null or ending.ends_at > clock_timestamp()
  ) rule`;
}

const RULE_COLUMNS = sql.fragment`rule.org_id, rule.id, rule.latest_version as version, ${SETTINGS_COLUMNS},
  micros_of_time(rule.valid_from) as valid_from, micros_of_time(rule.ends_at) as ends_at,
  micros_of_time(rule.location_deleted_at) as location_deleted_at, micros_of_time(rule.created_at) as created_at`;

export async function listRules(
  db: Connection,
  orgId: number,
  { limit, offset }: { limit: number | null; offset: number } = { limit: null, offset: 0 },
): Promise<StoredRule[]> {
  const rows = await db.any(sql.type(rowsOf<RuleRow>())`
    select ${RULE_COLUMNS} from ${liveRules(orgId)} order by rule.id limit ${limit}::integer offset ${offset}`);
  return rows.map(toRule);
}

export async function countRules(db: Connection, orgId: number): Promise<number> {
  const { count } = await db.one(sql.type(rowsOf<{ count: number }>())`
    select count(*) as count from ${liveRules(orgId)}`);
  return count;
}

export async function findRule(db: Connection, { orgId, id }: RuleRef): Promise<StoredRule | null> {
  const row = await db.maybeOne(sql.type(rowsOf<RuleRow>())`
    select ${RULE_COLUMNS} from ${liveRules(orgId)} where rule.id = ${id}`);
  return row === null ? null : toRule(row);
}

function toRule(row: RuleRow): StoredRule {
  return {
    ...{ orgId: row.org_id, id: row.id, version: row.version, settings: toSettings(row) },
    ...{ validFrom: row.valid_from, endsAt: row.ends_at, createdAt: row.created_at },
    locationDeletedAt: row.location_deleted_at,
  };
}

/** @throws AppError `not_found`. */
export function requireRule(db: Connection, ref: RuleRef): Promise<StoredRule> {
  return orNotFound(`Rule ${ref.id} not found`, findRule(db, ref));
}
