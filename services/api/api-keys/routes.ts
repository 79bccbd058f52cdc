import { invalid, invalidValue } from '../../../base/checks/issues.ts';
import { notFound } from '../../../base/errors.ts';
import { wireTime, wireTimeOrNull } from '../../../base/timestamps.ts';
import { type IssuedKey, issueKey } from '../../../domain/administration/api-keys/issue-key.ts';
import { listPageOfKeys, shownKey } from '../../../domain/administration/api-keys/list-keys.ts';
import { revokeKeyOf } from '../../../domain/administration/api-keys/revoke-key.ts';
import { ExpiryPassed } from '../../../domain/administration/expiry.ts';
import {
  type ChangeResult,
  makeChange,
  type OrganizationChange,
} from '../../../domain/changes/make-change.ts';
import { listBody, PAGING } from '../../../platform/http/lists.ts';
import { created, listed, noContent } from '../../../platform/http/success.ts';
import { type ApiContext, actorOf, route } from '../serving/context.ts';
import {
  API_KEY,
  IN_ORGANIZATION,
  ISSUED_API_KEY,
  type NewApiKey,
  newApiKeyBody,
  ONE_KEY,
} from './schema.ts';

/** A key administers its own organization; no other exists for it. */
const OWN_ORGANIZATION = {
  missing: 'Organization not found',
  row: async ({ context: { db }, params: { id } }: { context: ApiContext; params: { id: number } }) =>
    id === db.orgId ? id : null,
};

const issue = route({
  method: 'POST',
  path: '/api/v1/orgs/{id}/api-keys',
  operationId: 'issueApiKey',
  summary: 'Issue an API key, which is shown this once',
  scope: 'keys:admin',
  isInternal: true,
  params: IN_ORGANIZATION,
  find: OWN_ORGANIZATION,
  body: newApiKeyBody,
  success: created(ISSUED_API_KEY, 'The key'),
  problems: { conflict: 'The maximum of keys is reached' },
  handle: async ({ context, body, requestId }) =>
    issuedApiKeyView(
      await makeChange(context.db, actorOf(context, requestId), (change) => issueApiKey(change, body)),
    ),
});

const list = route({
  method: 'GET',
  path: '/api/v1/orgs/{id}/api-keys',
  operationId: 'listApiKeys',
  summary: 'List the API keys of the organization',
  scope: 'keys:admin',
  isInternal: true,
  query: { parameters: PAGING },
  params: IN_ORGANIZATION,
  find: OWN_ORGANIZATION,
  success: listed(API_KEY, 'A page of keys, without their secrets'),
  handle: async ({ context: { db }, query }) =>
    listBody(await listPageOfKeys(db, db.orgId, query), query, shownKey),
});

const revoke = route({
  method: 'DELETE',
  path: '/api/v1/orgs/{id}/api-keys/{key_id}',
  operationId: 'revokeApiKey',
  summary: 'Revoke an API key',
  scope: 'keys:admin',
  isInternal: true,
  params: ONE_KEY,
  find: OWN_ORGANIZATION,
  success: noContent('The key is revoked'),
  handle: async ({ context, params, requestId }) => {
    const { db, keys } = context;
    const revoked = await keys.changing(() =>
      makeChange(db, actorOf(context, requestId), (change) => revokeKeyOf(change, db.orgId, params.key_id)),
    );
    if (revoked === null || revoked.was_revoked) {
      throw notFound('API key not found');
    }
  },
});

export const apiKeyRoutes = [issue, list, revoke];

/**
 * Issues a key.
 *
 * @throws Invalid for an expiry that is not in the future.
 */
async function issueApiKey(
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

function issuedApiKeyView({ row, key }: IssuedKey) {
  return {
    id: row.id,
    name: row.name,
    scopes: row.scopes,
    created_at: wireTime(row.created_at),
    expires_at: wireTimeOrNull(row.expires_at),
    key,
  };
}
