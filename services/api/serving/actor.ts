import type { KeyActor } from '../../../domain/changes/actor.ts';
import type { ApiContext } from './context.ts';

/** The caller, as author of the request's changes. */
export function actorOf({ apiKeyId }: ApiContext, requestId: string): KeyActor {
  return { type: 'key', id: apiKeyId, requestId };
}
