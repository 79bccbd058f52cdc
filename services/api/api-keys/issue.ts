import { invalid, invalidValue } from '../../../base/checks/issues.ts';
import { type IssuedKey, issueKey } from '../../../domain/administration/api-keys/issue-key.ts';
import { ExpiryPassed } from '../../../domain/administration/expiry.ts';
import type { ChangeResult, OrganizationChange } from '../../../domain/changes/make-change.ts';
import type { NewApiKey } from './schema.ts';

/**
 * Issues a key.
 *
 * @throws Invalid for an expiry that is not in the future.
 */
export async function issueApiKey(
  change: OrganizationChange,
  { name, scopes = [], expires_at: expiresAt = null }: NewApiKey,
): Promise<ChangeResult<IssuedKey>> {
  try {
    return await issueKey(change, { orgId: change.orgId, name, scopes, expiresAt });
  } catch (error) {
    throw error instanceof ExpiryPassed
      ? invalid([invalidValue('expires_at', 'must be in the future')])
      : error;
  }
}
