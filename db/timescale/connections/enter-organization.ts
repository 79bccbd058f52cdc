import type { NamedStatement, Preceding } from './preceded-query.ts';

/** Sets the organization for row-level security until the transaction ends; the condition is never true. */
export const ENTER: NamedStatement = {
  name: 'enter-organization',
  text: `select from (select set_config('tagtrail.org_id', $1, true) as org_id offset 0) setting where org_id is null`,
  parameters: 1,
};

/** Milliseconds that a list may take among look-ups. */
export const BRIEF = 100;

export const ENTER_BRIEFLY: NamedStatement = {
  name: 'enter-organization-briefly',
  text: `select from (
      select set_config('tagtrail.org_id', $1, true) as org_id,
        set_config('statement_timeout', '${BRIEF}', true) as timeout offset 0
    ) setting where org_id is null or timeout is null`,
  parameters: 1,
};

/**
 * {@link ENTER} with a lock timeout, and generic plans: PostgreSQL re-plans statements with arrays each time,
 * expecting fewer elements than in general, which was a tenth of a create with a tag; and for an organization
 * younger than the statistics it picks the wrong index. The cost settings lead it to the index with the
 * fewest rows, also without statistics (`domain/tracking/index-plans.ts`).
 */
const ENTER_TO_WRITE: NamedStatement = {
  name: 'enter-organization-to-write',
  text: `select from (
      select set_config('tagtrail.org_id', $1, true) as org_id, set_config('lock_timeout', $2, true) as timeout,
        set_config('plan_cache_mode', 'force_generic_plan', true) as plans,
        set_config('enable_seqscan', 'off', true) as scans, set_config('cpu_index_tuple_cost', '1', true) as tuples,
        set_config('cpu_operator_cost', '0', true) as operators offset 0
    ) setting
    where org_id is null or timeout is null or plans is null or scans is null or tuples is null or operators is null`,
  parameters: 2,
};

export function entering(orgId: number): Preceding {
  return { name: ENTER.name, text: ENTER.text, values: [String(orgId)] };
}

export function enteringBriefly(orgId: number): Preceding {
  return { name: ENTER_BRIEFLY.name, text: ENTER_BRIEFLY.text, values: [String(orgId)] };
}

/** @param lockTimeout milliseconds; 0 for none. */
export function enteringToWrite(orgId: number, lockTimeout: number): Preceding {
  return {
    name: ENTER_TO_WRITE.name,
    text: ENTER_TO_WRITE.text,
    values: [String(orgId), String(lockTimeout)],
  };
}
