import type { Role } from '../../../domain/administration/users/roles.ts';
import type { SessionRow } from '../../../domain/administration/users/sessions/find-sessions.ts';
import { routesOf } from '../../../platform/http/route.ts';
import type { ApiContext } from '../../api/entry.ts';
import type { ConsoleParts } from './console-parts.ts';
import type { Sender } from './person.ts';

/** A member of an organization, with all that handlers of the API need. */
export interface ConsoleContext extends ApiContext {
  session: SessionRow;
  role: Role;
  sender: Sender;
  parts: ConsoleParts;
  /** For the rate limit. */
  bucket: string;
}

export const memberRoute = routesOf<ConsoleContext>();
