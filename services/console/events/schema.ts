import { idFilter, integer } from '../../../platform/http/parameters.ts';
import type { Query } from '../../../platform/http/query.ts';

/** `organization` is read with the session: an `EventSource` can send no header. */
export const EVENTS = {
  parameters: {
    after: integer({ min: 0, max: Number.MAX_SAFE_INTEGER }, undefined),
    organization: idFilter,
  },
} as const satisfies Query;
