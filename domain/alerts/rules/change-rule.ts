import { isDeepStrictEqual } from 'node:util';
import { conflict } from '../../../base/errors.ts';
import type { Micros } from '../../../base/instant.ts';
import { wireTimeOfMicros } from '../../../base/timestamps.ts';
import type { Database } from '../../../db/timescale/connections/database.ts';
import type { Actor } from '../../changes/actor.ts';
import { type Change, type ChangeResult, changed, makeChange, unchanged } from '../../changes/make-change.ts';
import { appliedChange } from './applied-change.ts';
import { insertVersion } from './insert-version.ts';
import { lockRules, requireBeginning, requireEnd } from './lock-rules.ts';
import { loggedDifferences, loggedRule } from './logged-rule.ts';
import type { RuleChange } from './rule-change.ts';
import { LIMITS } from './settings.ts';
import { type RuleRef, requireRule, type StoredRule } from './stored-rules.ts';

/**
 * The instant from which a change, or an end, counts. It replaces everything that was to count from later instants.
 * Null is now or, for a change of a rule that has not begun, its beginning.
 */
export type Dated = { validFrom: Micros | null };

/** When a changed rule ends; null takes a planned end away. Undefined keeps it, unless the change begins only then or later. */
export interface PlannedEnd {
  endsAt?: Micros | null | undefined;
}

/** The version that a change was based on; absent for any. */
export interface BasedOn {
  version?: number | undefined;
}

/**
 * Sets a rule again from `validFrom` on.
 *
 * @throws Invalid with every fault, AppError `not_found` or `conflict`.
 */
export function changeRule(
  db: Database,
  actor: Actor,
  now: Micros,
  ref: RuleRef,
  wanted: RuleChange & Dated & PlannedEnd & BasedOn,
): Promise<StoredRule> {
  return makeChange(db, actor, (change) => setRule(change, now, ref, wanted));
}

async function setRule(
  change: Change,
  now: Micros,
  ref: RuleRef,
  { validFrom, endsAt: givenEnd, version: read, ...given }: RuleChange & Dated & PlannedEnd & BasedOn,
): Promise<ChangeResult<StoredRule>> {
  requireBeginning(validFrom, now);
  await lockRules(change, ref.orgId);
  const rule = await requireRule(change, ref);
  if (read !== undefined && read !== rule.version) {
    throw conflict(
      `the rule was changed by somebody else meanwhile (it is version ${rule.version}, not ${read}); read it again`,
    );
  }
  const settings = await appliedChange(change, ref.orgId, rule.settings, given);
  const from = validFrom ?? Math.max(now, rule.validFrom);
  const isKept = givenEnd === undefined && rule.endsAt !== null && rule.endsAt > from;
  const endsAt = isKept ? rule.endsAt : (givenEnd ?? null);
  requireEnd(endsAt, from, now);
  if (endsAt === rule.endsAt && from >= rule.validFrom && isDeepStrictEqual(settings, rule.settings)) {
    return unchanged(rule);
  }
  const beginning = validFrom ?? (rule.validFrom > now ? rule.validFrom : null);
  const version = rule.version + 1;
  await insertVersion(change, { ...ref, version, validFrom: beginning, isEnded: false, settings });
  if (endsAt !== null) {
    await insertVersion(change, { ...ref, version: version + 1, validFrom: endsAt, isEnded: true, settings });
  }
  const after = await requireRule(change, ref);
  const differing = loggedDifferences(await loggedRule(change, rule), await loggedRule(change, after));
  return changed(after, [
    { orgId: ref.orgId, action: 'update', resource: { type: 'rule', id: ref.id }, ...differing },
  ]);
}

/**
 * Ends a rule. It stays, because the time before still counts.
 *
 * @throws Invalid (`valid_from`), AppError `not_found`.
 */
export function endRule(
  db: Database,
  actor: Actor,
  now: Micros,
  ref: RuleRef,
  { validFrom }: Dated,
): Promise<StoredRule & { endsAt: Micros }> {
  return makeChange(db, actor, async (change) => {
    requireBeginning(validFrom, now);
    await lockRules(change, ref.orgId, LIMITS.endings);
    const rule = await requireRule(change, ref);
    const { settings, version } = rule;
    const given = await insertVersion(change, {
      ...{ ...ref, version: version + 1, validFrom, isEnded: true, settings },
    });
    const endsAt = Math.min(given, rule.endsAt ?? given);
    return changed({ ...rule, endsAt }, [
      {
        ...{ orgId: ref.orgId, action: 'delete', resource: { type: 'rule', id: ref.id } },
        before: await loggedRule(change, rule),
        after: { ends_at: wireTimeOfMicros(endsAt) },
      },
    ]);
  });
}
