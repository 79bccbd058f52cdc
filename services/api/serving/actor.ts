import type { KeyActor } from '../../../domain/changes/actor.ts';
import type { ApiContext } from './context.ts';

/** Whoever asks, for what the request changes. */
export function actorOf({ apiKeyId }: ApiContext, requestId: string): KeyActor {
  return { type: 'key', id: apiKeyId, requestId };
}
