import type { LoggedChange } from '../../../domain/changes/list-changes.ts';

/** A change without whom a rule tells. */
export function withoutAddresses(change: LoggedChange): LoggedChange {
  return change.resource_type === 'rule'
    ? { ...change, before: withoutMailTo(change.before), after: withoutMailTo(change.after) }
    : change;
}

function withoutMailTo(json: string | null): string | null {
  if (json === null) {
    return null;
  }
  const { mail_to: _, ...rest } = JSON.parse(json);
  return JSON.stringify(rest);
}
