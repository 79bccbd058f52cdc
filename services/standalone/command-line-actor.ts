import { userInfo } from 'node:os';
import type { CommandLineActor } from '../../domain/changes/actor.ts';

export function commandLineActor(): CommandLineActor {
  return { type: 'command_line', id: operatingSystemUser(), requestId: null };
}

/** Name of the user this process runs as; `uid 1000` if it has none, as in some containers. */
function operatingSystemUser(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? '?'}`;
  }
}
