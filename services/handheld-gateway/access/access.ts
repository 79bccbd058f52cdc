import { timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../../base/clock.ts';
import type { OrganizationDoor } from '../../../db/timescale/connections/organization-door.ts';
import { digestOf, parseToken } from '../../../domain/administration/handhelds/token-format.ts';
import type { Access } from '../../../platform/http/app.ts';
import { unauthorized } from '../../../platform/http/bearer.ts';
import type { SubmissionRecorder } from '../recording/record-submission.ts';
import type { HandheldContext } from '../serving/context.ts';
import type { HandheldCache } from './queries.ts';

export interface HandheldAccessParts {
  door: OrganizationDoor;
  handhelds: HandheldCache;
  recorder: SubmissionRecorder;
  clock: Clock;
}

/**
 * Authenticates handhelds. A token is good for everything or nothing: there are no scopes, and one of a deleted
 * organization counts as revoked, so that the device asks for another.
 */
export function handheldAccess(parts: HandheldAccessParts): Access<HandheldContext> {
  return {
    authenticate: (token) => authenticate(token, parts),
    authorize: () => {},
    callerOf: ({ orgId, handheldId }) => ({ orgId, handheldId }),
  };
}

/** A request is received when its headers are there: a body may take its time. */
async function authenticate(
  text: string,
  { door, handhelds, recorder, clock }: HandheldAccessParts,
): Promise<HandheldContext> {
  const receivedAt = clock();
  const token = parseToken(text);
  const known = token === null ? null : await handhelds.get(String(token.handheldId));
  if (token === null || known === null || !timingSafeEqual(digestOf(token.secret), known.row.token_sha256)) {
    throw unauthorized('Invalid or expired token');
  }
  const { org_id: orgId } = known.row;
  const { handheldId } = token;
  if (known.row.is_revoked) {
    throw unauthorized('Handheld token has been revoked', { orgId, handheldId });
  }
  if (known.row.org_is_deleted) {
    throw unauthorized('The organization of this handheld no longer exists', { orgId, handheldId });
  }
  return { orgId, handheldId, receivedAt, db: door.of(orgId), recorder };
}
