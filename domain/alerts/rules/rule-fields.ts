import { MICROS_PER_SECOND } from '../../../base/instant.ts';
import { wireTimeOfMicros } from '../../../base/timestamps.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import type { RuleSettings } from './settings.ts';
import type { StoredRule } from './stored-rules.ts';

/** External keys of locations by id, also of deleted ones. */
export type LocationKeys = ReadonlyMap<number, string>;

/** Keys of all locations that rules name. */
export async function locationKeysOf(
  db: Connection,
  orgId: number,
  rules: readonly RuleSettings[],
): Promise<LocationKeys> {
  const ids = rules.flatMap(({ locationId, selection: { withinLocationId } }) => [
    locationId,
    withinLocationId,
  ]);
  const rows = await db.any(sql.type(rowsOf<{ id: number; external_key: string }>())`
    select id, external_key from locations
    where org_id = ${orgId} and id = any (${sql.array(
      ids.filter((id) => id !== null),
      'int4',
    )})`);
  return new Map(rows.map(({ id, external_key: key }) => [id, key]));
}

/** Keys of the assets of a rule's list, also of deleted ones, sorted. */
export async function assetKeysOf(
  db: Connection,
  orgId: number,
  { selection: { assetIds } }: RuleSettings,
): Promise<string[] | null> {
  if (assetIds === null) {
    return null;
  }
  const rows = await db.any(sql.type(rowsOf<{ external_key: string }>())`
    select external_key from assets
    where org_id = ${orgId} and id = any (${sql.array(assetIds, 'int4')}) order by external_key`);
  return rows.map(({ external_key: key }) => key);
}

/** The settings as shown and logged. */
export function settingsFields(settings: RuleSettings, keys: LocationKeys) {
  const { kind, name, after, thenAfter, locationId, hours, bound, selection, mailTo } = settings;
  const { withinLocationId, metadata, readerIds } = selection;
  return {
    ...{ kind, name },
    after_seconds: after === null ? null : after / MICROS_PER_SECOND,
    then_seconds: thenAfter === null ? null : thenAfter / MICROS_PER_SECOND,
    location_external_key: locationId === null ? null : (keys.get(locationId) ?? null),
    hours: hours?.text ?? null,
    time_zone: hours?.timeZone ?? null,
    within_location_external_key: withinLocationId === null ? null : (keys.get(withinLocationId) ?? null),
    ...{ reading: bound.reading, above: bound.above, below: bound.below, hysteresis: bound.hysteresis },
    ...{ metadata, reader_ids: readerIds, mail_to: mailTo },
  };
}

export function ruleFields(rule: StoredRule, keys: LocationKeys) {
  const { id, settings, validFrom, endsAt, locationDeletedAt, createdAt, version } = rule;
  return {
    id,
    ...settingsFields(settings, keys),
    asset_count: settings.selection.assetIds?.length ?? null,
    mail_count: settings.mailTo.length,
    valid_from: wireTimeOfMicros(validFrom),
    ends_at: endsAt === null ? null : wireTimeOfMicros(endsAt),
    location_deleted_at: locationDeletedAt === null ? null : wireTimeOfMicros(locationDeletedAt),
    created_at: wireTimeOfMicros(createdAt),
    version,
  };
}

/** Rules of one organization, each as {@link ruleFields}. */
export async function shownRules(db: Connection, orgId: number, rules: readonly StoredRule[]) {
  const keys = await locationKeysOf(
    db,
    orgId,
    rules.map(({ settings }) => settings),
  );
  return rules.map((rule) => ruleFields(rule, keys));
}

/** A rule as {@link ruleFields}, with the keys of its list of assets. */
export async function shownRule(db: Connection, rule: StoredRule) {
  const keys = await locationKeysOf(db, rule.orgId, [rule.settings]);
  return {
    ...ruleFields(rule, keys),
    asset_external_keys: await assetKeysOf(db, rule.orgId, rule.settings),
  };
}
