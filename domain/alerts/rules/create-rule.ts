import { ulid } from 'ulid';
import { conflict } from '../../../base/errors.ts';
import type { Micros } from '../../../base/instant.ts';
import type { Database } from '../../../db/timescale/connections/database.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { holdLiveOrganization } from '../../administration/organizations/live-organization.ts';
import type { Actor } from '../../changes/actor.ts';
import { type Change, type ChangeResult, changed, makeChange } from '../../changes/make-change.ts';
import { UNBOUND } from '../../tracking/reading-bound.ts';
import { appliedChange } from './applied-change.ts';
import { insertVersion } from './insert-version.ts';
import { lockRules, requireBeginning } from './lock-rules.ts';
import { loggedRule } from './logged-rule.ts';
import type { Kind } from './rule.ts';
import type { RuleChange } from './rule-change.ts';
import { EVERYTHING, LIMITS, type RuleSettings } from './settings.ts';
import { countRules, requireRule, type StoredRule } from './stored-rules.ts';

export interface NewRule extends RuleChange {
  orgId: number;
  kind: Kind;
  /** Null or left out: now. */
  validFrom?: Micros | null | undefined;
}

/**
 * Creates a rule.
 *
 * @throws Invalid with every fault, AppError `not_found` (organization), `conflict` (too many rules).
 */
export function createRule(db: Database, actor: Actor, now: Micros, wanted: NewRule): Promise<StoredRule> {
  return makeChange(db, actor, async (change) => {
    await holdLiveOrganization(change, wanted.orgId);
    return addRule(change, now, wanted);
  });
}

/** {@link createRule} for an organization that is known to be live. */
export async function addRule(
  change: Change,
  now: Micros,
  wanted: NewRule,
): Promise<ChangeResult<StoredRule>> {
  const { orgId, validFrom = null } = wanted;
  requireBeginning(validFrom, now);
  const settings = await newSettings(change, wanted);
  await lockRules(change, orgId);
  if ((await countRules(change, orgId)) >= LIMITS.rules) {
    throw conflict(`The organization has ${LIMITS.rules} rules, the maximum; remove one first`);
  }
  const ref = { orgId, id: ulid() };
  await insertVersion(change, { ...ref, version: 1, validFrom, isEnded: false, settings });
  const rule = await requireRule(change, ref);
  return changed(rule, [
    {
      ...{ orgId, action: 'create', resource: { type: 'rule', id: rule.id } },
      ...{ before: null, after: await loggedRule(change, rule) },
    },
  ]);
}

/** A new rule, checked. @throws Invalid with every fault. */
export function newSettings(
  transaction: Connection,
  wanted: Omit<NewRule, 'validFrom'>,
): Promise<RuleSettings> {
  const { orgId, kind, name, ...given } = wanted;
  const nothing = {
    ...{ kind, name: nameOf(wanted), bound: UNBOUND },
    ...{ after: null, thenAfter: null, locationId: null, hours: null, selection: EVERYTHING, mailTo: [] },
  };
  return appliedChange(transaction, orgId, nothing, { name, ...given });
}

function nameOf({
  kind,
  locationExternalKey: key,
  reading,
  above,
  below,
}: Omit<NewRule, 'validFrom'>): string {
  const of = key == null ? kind : `${kind} ${key}`;
  const name = reading == null ? of : `${reading} ${above == null ? `below ${below}` : `above ${above}`}`;
  return name.slice(0, LIMITS.textLength);
}
