import { MICROS_PER_DAY, type Micros } from '../../../base/instant.ts';
import { integers } from '../../../db/timescale/queries/array-parameters.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { loadRules } from '../rules/load-rules.ts';
import type { DatedRule } from '../rules/rule.ts';

/** As far back as anything is derived. */
export const DERIVED_BACK: Micros = 31 * MICROS_PER_DAY;

/** Versions of rules, each rule's in order. */
export interface OrganizationRules {
  ofAssets: ReadonlyMap<string, readonly DatedRule[]>;
  ofReaders: ReadonlyMap<string, readonly DatedRule[]>;
}

/** @param orgIds null for all. @returns rules by organization; nothing of one that has none. */
export async function loadRulesByOrganization(
  db: Connection,
  orgIds: readonly number[] | null,
  now: Micros,
): Promise<Map<number, OrganizationRules>> {
  const rules = await loadRules(db, orgIds, now - DERIVED_BACK);
  return new Map(
    [...Map.groupBy(rules, ({ orgId }) => orgId)].map(([orgId, own]) => [
      orgId,
      {
        ofAssets: byRule(own.filter(({ kind }) => kind !== 'reader')),
        ofReaders: byRule(own.filter(({ kind }) => kind === 'reader')),
      },
    ]),
  );
}

/** Those of organizations that were deleted: their rules count no more. */
export async function findDeleted(db: Connection, orgIds: readonly number[]): Promise<number[]> {
  const rows = await db.any(sql.prepared('find-deleted-organizations', rowsOf<{ id: number }>())`
    select id from organizations
    where id = any (${sql.binary(integers(orgIds))}::integer[]) and deleted_at is not null`);
  return rows.map(({ id }) => id);
}

function byRule(rules: readonly DatedRule[]): Map<string, DatedRule[]> {
  return Map.groupBy(rules, ({ ruleId }) => ruleId);
}
