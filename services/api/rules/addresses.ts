import type { ApiContext } from '../serving/context.ts';

/** Roles that set rules, and roles that act on their alerts. */
const READERS_OF_ADDRESSES = ['rules:admin', 'alerts:write'];

/** Whether a caller may know whom rules tell; others learn how many that are. */
export function mayReadAddresses({ scopes }: Pick<ApiContext, 'scopes'>): boolean {
  return READERS_OF_ADDRESSES.some((scope) => scopes.includes(scope));
}

/** A rule as its reader may see it. */
export function seenBy<Rule extends { mail_to: readonly string[] }>(
  context: Pick<ApiContext, 'scopes'>,
  rule: Rule,
): Omit<Rule, 'mail_to'> & { mail_to: readonly string[] | null } {
  return mayReadAddresses(context) ? rule : { ...rule, mail_to: null };
}
