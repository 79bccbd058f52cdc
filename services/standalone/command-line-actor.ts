import type { CommandLineActor } from '../../domain/changes/actor.ts';
import { operatingSystemUser } from '../../platform/runtime/operating-system-user.ts';

export function commandLineActor(): CommandLineActor {
  return { type: 'command_line', id: operatingSystemUser(), requestId: null };
}
