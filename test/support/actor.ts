import type { Actor } from '../../domain/changes/actor.ts';

/** On whose behalf tests arrange things. */
export const TEST_ACTOR: Actor = { type: 'command_line', id: 'test', requestId: null };
