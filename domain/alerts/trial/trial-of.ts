import { invalidValue, refuseIssues } from '../../../base/checks/issues.ts';
import { MICROS_PER_DAY, type Micros } from '../../../base/instant.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { appliedChange } from '../rules/applied-change.ts';
import { newSettings } from '../rules/create-rule.ts';
import type { Kind } from '../rules/rule.ts';
import type { RuleChange } from '../rules/rule-change.ts';
import { DERIVED } from '../rules/settings.ts';
import { requireRule } from '../rules/stored-rules.ts';
import type { Trial } from './try-rule.ts';

export interface WantedTrial extends RuleChange {
  orgId: number;
  /** A new rule of a kind, or a stored one with changes. */
  of: { kind: Kind } | { id: string };
  /** Null: {@link DEFAULT_WINDOW} before now. */
  since: Micros | null;
}

const DEFAULT_WINDOW: Micros = 14 * MICROS_PER_DAY;

/**
 * The rule to try, checked as if it were to be stored.
 *
 * @throws Invalid with every fault, AppError `not_found` (the stored rule).
 */
export async function trialOf(
  transaction: Connection,
  now: Micros,
  { orgId, of, since: given, ...change }: WantedTrial,
): Promise<Trial> {
  const since = given ?? now - DEFAULT_WINDOW;
  if (since < now - DERIVED || since >= now) {
    refuseIssues([invalidValue('since', 'must be within the last 31 days')]);
  }
  const settings =
    'kind' in of
      ? await newSettings(transaction, { orgId, kind: of.kind, ...change })
      : await appliedChange(
          transaction,
          orgId,
          (await requireRule(transaction, { orgId, id: of.id })).settings,
          change,
        );
  const until = await endOfLocation(transaction, orgId, settings.locationId);
  return { orgId, settings, until, window: { since, until: now } };
}

/** When the location that a rule is about was deleted. */
async function endOfLocation(
  transaction: Connection,
  orgId: number,
  locationId: number | null,
): Promise<Micros | null> {
  const row = await transaction.maybeOne(sql.type(rowsOf<{ until: Micros | null }>())`
    select micros_of_time(deleted_at) as until from locations
    where org_id = ${orgId} and id = ${locationId}::integer`);
  return row?.until ?? null;
}
