import type { LoggedChange } from '../../../domain/changes/list-changes.ts';
import { mayReadAddresses } from '../../api/entry.ts';

type Json = Readonly<Record<string, unknown>>;

/** A change without what the caller could not read of the resource itself. */
export function asMayBeSeen(change: LoggedChange, scopes: readonly string[]): LoggedChange {
  const hide = hidden(change.resource_type, scopes);
  return hide === null
    ? change
    : { ...change, before: rewritten(change.before, hide), after: rewritten(change.after, hide) };
}

function hidden(resourceType: string, scopes: readonly string[]): ((fields: Json) => Json) | null {
  if (resourceType === 'rule' && !mayReadAddresses({ scopes })) {
    return ({ mail_to: _, ...rest }) => rest;
  }
  if (resourceType === 'webhook' && !scopes.includes('webhooks:admin')) {
    return withoutPath;
  }
  return null;
}

/** What comes behind the host often is the receiver's only secret. */
function withoutPath({ url, ...rest }: Json): Json {
  return typeof url === 'string' && URL.canParse(url) ? { ...rest, url: `${new URL(url).origin}/…` } : rest;
}

function rewritten(json: string | null, hide: (fields: Json) => Json): string | null {
  return json === null ? null : JSON.stringify(hide(JSON.parse(json)));
}
