import type { KeyActor, UserActor } from '../../../domain/changes/actor.ts';
import type { ApiContext } from './context.ts';

export function actorOf({ actor: { type, id } }: ApiContext, requestId: string): KeyActor | UserActor {
  return { type, id, requestId };
}
