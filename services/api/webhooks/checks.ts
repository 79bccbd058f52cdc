import { type FieldIssue, invalid, invalidValue } from '../../../base/checks/issues.ts';
import type { OrganizationDatabase } from '../../../db/timescale/connections/organization-door.ts';
import { findLiveByKey } from '../../../domain/master-data/live-by-key.ts';
import { NotInFeed } from '../../../domain/webhooks/lanes.ts';
import { OtherSecretsKey } from '../../../domain/webhooks/require-known-key.ts';
import { WrongSecretsKey } from '../../../domain/webhooks/secrets/sealed-secret.ts';
import { faultOfTarget } from '../../../domain/webhooks/targets/target-url.ts';
import { Problem } from '../../../platform/http/problem.ts';
import type { WebhookParts } from '../serving/webhook-parts.ts';

/** @throws Problem `unavailable` for a process without SECRETS_KEY. */
export function requireParts(parts: WebhookParts | null): WebhookParts {
  if (parts === null) {
    throw new Problem('unavailable', 'Webhooks need SECRETS_KEY, which is not set for this service', {
      headers: { 'Retry-After': '60' },
    });
  }
  return parts;
}

/** @throws Invalid with every fault. */
export async function requireUsable(
  db: OrganizationDatabase,
  { networks }: WebhookParts,
  given: { url?: string | undefined; location_external_key?: string | null | undefined },
): Promise<void> {
  const { url, location_external_key: key } = given;
  const fault = url === undefined ? null : faultOfTarget(url, networks);
  const issues: FieldIssue[] = fault === null ? [] : [invalidValue('url', fault)];
  if (key != null && (await findLiveByKey(db, 'location', db.orgId, key)) === null) {
    issues.push({
      field: 'location_external_key',
      code: 'fk_not_found',
      message: `no live location has the external key ${key}`,
    });
  }
  if (issues.length > 0) {
    throw invalid(issues);
  }
}

/** @throws Invalid where the feed cannot be followed after the position that is given. */
export async function withPosition<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof NotInFeed ? invalid([issueOf(error)]) : error;
  }
}

/** @throws Problem `unavailable`, in the words of the command line, for a process with another SECRETS_KEY. */
export async function withKey<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof WrongSecretsKey || error instanceof OtherSecretsKey
      ? new Problem('unavailable', error.message, { headers: { 'Retry-After': '60' } })
      : error;
  }
}

/** In the words of `GET /moves`. */
function issueOf({ position, min, max }: NotInFeed): FieldIssue {
  return position > max
    ? invalidValue('after', `must be at most ${max}, the head of the feed`, { max })
    : invalidValue('after', `must be at least ${min}: earlier events are no longer kept`, { min });
}
