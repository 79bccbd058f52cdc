import { notFound } from '../../../base/errors.ts';
import { listPageOfKeys } from '../../../domain/administration/api-keys/list-keys.ts';
import { revokeKeyOf } from '../../../domain/administration/api-keys/revoke-key.ts';
import { makeChange } from '../../../domain/changes/make-change.ts';
import { listBody, PAGING } from '../../../platform/http/lists.ts';
import { NO_QUERY } from '../../../platform/http/query.ts';
import { created, listed, noContent } from '../../../platform/http/success.ts';
import { actorOf } from '../serving/actor.ts';
import { type ApiContext, route } from '../serving/context.ts';
import { issueApiKey } from './issue.ts';
import { API_KEY, IN_ORGANIZATION, ISSUED_API_KEY, newApiKeyBody, ONE_KEY } from './schema.ts';
import { apiKeyView, issuedApiKeyView } from './view.ts';

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
  query: NO_QUERY,
  params: IN_ORGANIZATION,
  find: OWN_ORGANIZATION,
  body: newApiKeyBody,
  success: created(ISSUED_API_KEY, 'The key'),
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
    listBody(await listPageOfKeys(db, db.orgId, query), query, apiKeyView),
});

const revoke = route({
  method: 'DELETE',
  path: '/api/v1/orgs/{id}/api-keys/{key_id}',
  operationId: 'revokeApiKey',
  summary: 'Revoke an API key',
  scope: 'keys:admin',
  isInternal: true,
  query: NO_QUERY,
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
