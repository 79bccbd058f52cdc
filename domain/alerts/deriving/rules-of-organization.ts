import { MICROS_PER_DAY, type Micros } from '../../../base/instant.ts';
import { integers } from '../../../db/timescale/queries/array-parameters.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { loadRules } from '../rules/load-rules.ts';
import { type DatedRule, isOfReadings } from '../rules/rule.ts';

export const DERIVED_BACK: Micros = 31 * MICROS_PER_DAY;

/** Versions of rules, each rule's in order. */
export interface OrganizationRules {
  ofAssets: ReadonlyMap<string, readonly DatedRule[]>;
  /** The ones that depend on the asset's location only, not on its reads. */
  ofStays: ReadonlyMap<string, readonly DatedRule[]>;
  ofReaders: ReadonlyMap<string, readonly DatedRule[]>;
}

/** @returns null if it has none any more. */
export async function loadRulesOf(
  db: Connection,
  orgId: number,
  now: Micros,
): Promise<OrganizationRules | null> {
  const rules = await loadRules(db, [orgId], now - DERIVED_BACK);
  return rules.length === 0
    ? null
    : {
        ofAssets: byRule(rules.filter(({ kind }) => kind !== 'reader')),
        ofStays: byRule(rules.filter(({ kind }) => kind !== 'reader' && kind !== 'overdue')),
        ofReaders: byRule(rules.filter(({ kind }) => kind === 'reader')),
      };
}

/** Whether any of them are. */
export function areOfReadings({ ofAssets }: OrganizationRules): boolean {
  return [...ofAssets.values()].some((versions) => versions.some(isOfReadings));
}

/** The rules of deleted organizations no longer count. */
export async function findDeleted(db: Connection, orgIds: readonly number[]): Promise<number[]> {
  const rows = await db.any(sql.prepared('find-deleted-organizations', rowsOf<{ id: number }>())`
    select id from organizations
    where id = any (${sql.binary(integers(orgIds))}::integer[]) and deleted_at is not null`);
  return rows.map(({ id }) => id);
}

function byRule(rules: readonly DatedRule[]): Map<string, DatedRule[]> {
  return Map.groupBy(rules, ({ ruleId }) => ruleId);
}

/** Organizations that have, or had, rules. */
export async function findOrganizations(db: Connection): Promise<readonly number[]> {
  const rows = await db.any(sql.type(rowsOf<{ id: number }>())`
    select id from organizations organization
    where deleted_at is null and exists (select from rules where rules.org_id = organization.id)
    order by id`);
  return rows.map(({ id }) => id);
}
