import type { NamedStatement, Preceding } from './preceded-query.ts';

/** Names the organization to the policies until the transaction ends; the condition is never true. */
export const ENTER: NamedStatement = {
  name: 'enter-organization',
  text: `select from (select set_config('tagtrail.org_id', $1, true) as org_id offset 0) setting where org_id is null`,
  parameters: 1,
};

/** Milliseconds that a list may take among the look-ups. */
export const BRIEF = 100;

/** The same, and gives what follows little time. */
export const ENTER_BRIEFLY: NamedStatement = {
  name: 'enter-organization-briefly',
  text: `select from (
      select set_config('tagtrail.org_id', $1, true) as org_id,
        set_config('statement_timeout', '${BRIEF}', true) as timeout offset 0
    ) setting where org_id is null or timeout is null`,
  parameters: 1,
};

export function entering(orgId: number): Preceding {
  return { name: ENTER.name, values: [String(orgId)] };
}

export function enteringBriefly(orgId: number): Preceding {
  return { name: ENTER_BRIEFLY.name, values: [String(orgId)] };
}
