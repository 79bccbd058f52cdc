import { timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../../base/clock.ts';
import type { OrganizationDoor } from '../../../db/timescale/connections/organization-door.ts';
import { credentialKey } from '../../../domain/administration/credential-uses.ts';
import { digestOfSecret, parseToken } from '../../../domain/administration/handhelds/token-format.ts';
import type { CredentialUsage } from '../../../platform/access/credential-usage.ts';
import { bearerOf, unauthorized } from '../../../platform/http/bearer.ts';
import type { Access } from '../../../platform/http/entrance.ts';
import { organizationMoves } from '../../../platform/http/problem.ts';
import type { SubmissionRecorder } from '../recording/record-submission.ts';
import type { SweepRecorder } from '../recording/record-sweep.ts';
import type { Retractor } from '../recording/retractor.ts';
import type { HandheldContext } from '../serving/context.ts';
import type { HandheldCache } from './queries.ts';

export interface HandheldAccessParts {
  door: OrganizationDoor;
  handhelds: HandheldCache;
  usage: CredentialUsage;
  recorder: SubmissionRecorder;
  sweeps: SweepRecorder;
  retractor: Retractor;
  clock: Clock;
}

/**
 * Authenticates handhelds. There are no scopes: a token allows everything or nothing. A token of a deleted
 * organization counts as revoked, so that the device asks for another.
 */
export function handheldAccess(parts: HandheldAccessParts): Access<HandheldContext> {
  return {
    credentialOf: bearerOf,
    authenticate: (token) => authenticate(token, parts),
    authorize: () => {},
    callerOf: ({ orgId, handheldId }) => ({ orgId, handheldId }),
  };
}

/** Received means that the headers have arrived: a body may take its time. */
async function authenticate(
  text: string,
  { door, handhelds, usage, recorder, retractor, sweeps, clock }: HandheldAccessParts,
): Promise<HandheldContext> {
  const receivedAt = clock();
  const token = parseToken(text);
  const known = token === null ? null : await handhelds.get(String(token.handheldId));
  if (
    token === null ||
    known === null ||
    !timingSafeEqual(digestOfSecret(token.secret), known.row.token_sha256)
  ) {
    throw unauthorized('Invalid or expired token');
  }
  const { org_id: orgId } = known.row;
  const { handheldId } = token;
  if (known.row.is_revoked) {
    throw unauthorized('Handheld token has been revoked', { orgId, handheldId });
  }
  if (performance.now() >= known.expiresAtMs) {
    throw unauthorized('Handheld token has expired', { orgId, handheldId });
  }
  if (known.row.org_is_held) {
    throw organizationMoves({ orgId, handheldId });
  }
  if (known.row.org_is_deleted) {
    throw unauthorized('The organization of this handheld no longer exists', { orgId, handheldId });
  }
  usage.note(credentialKey(orgId, handheldId));
  return { orgId, handheldId, receivedAt, db: door.of(orgId), recorder, retractor, sweeps };
}
