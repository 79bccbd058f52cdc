import { type FieldIssue, invalid, invalidValue } from '../../../base/checks/issues.ts';
import { wireTime } from '../../../base/timestamps.ts';
import type { OrganizationDatabase } from '../../../db/timescale/connections/organization-door.ts';
import { makeChange } from '../../../domain/changes/make-change.ts';
import { findLiveByKey } from '../../../domain/master-data/by-id-or-key.ts';
import { type AttemptRow, countAttempts, listAttempts } from '../../../domain/webhooks/attempts.ts';
import { addWebhook } from '../../../domain/webhooks/create-webhook.ts';
import { deleteWebhook } from '../../../domain/webhooks/delete-webhook.ts';
import { NotInFeed } from '../../../domain/webhooks/lanes.ts';
import {
  countWebhooks,
  findListedWebhook,
  type ListedWebhook,
  listWebhooks,
  shownProgress,
} from '../../../domain/webhooks/list-webhooks.ts';
import { replayWebhook } from '../../../domain/webhooks/replay-webhook.ts';
import { OtherSecretsKey } from '../../../domain/webhooks/require-known-key.ts';
import { WrongSecretsKey } from '../../../domain/webhooks/secrets/secrets-key.ts';
import { shownAttempt } from '../../../domain/webhooks/sending/deliver.ts';
import { setWebhook } from '../../../domain/webhooks/set-webhook.ts';
import { shownWebhook } from '../../../domain/webhooks/stored-webhook.ts';
import { faultOfTarget } from '../../../domain/webhooks/targets/target-url.ts';
import { testWebhook } from '../../../domain/webhooks/test-webhook.ts';
import { listBody, PAGING } from '../../../platform/http/lists.ts';
import { Problem } from '../../../platform/http/problem.ts';
import { answered, created, found, listed, noContent } from '../../../platform/http/success.ts';
import { type ApiContext, actorOf, route, type WebhookParts } from '../serving/context.ts';
import {
  ATTEMPT,
  CHANGED_WEBHOOK,
  CREATED_WEBHOOK,
  newWebhookBody,
  ONE_WEBHOOK,
  REPLAYED_WEBHOOK,
  replayBody,
  TESTED_WEBHOOK,
  WEBHOOK,
  webhookPatchBody,
} from './schema.ts';

const ADMINISTRATION = { scope: 'webhooks:admin', isInternal: true } as const;

const ONE = {
  missing: 'Webhook not found',
  row: ({ context: { db }, params }: { context: ApiContext; params: { webhook_id: number } }) =>
    findListedWebhook(db, db.orgId, params.webhook_id),
};

const NO_KEY = { unavailable: 'The service has no SECRETS_KEY, or another than was used before' };

const create = route({
  method: 'POST',
  path: '/api/v1/webhooks',
  operationId: 'createWebhook',
  summary: 'Have every move sent to a URL; the secret is shown this once',
  ...ADMINISTRATION,
  body: newWebhookBody,
  success: created(CREATED_WEBHOOK, 'The webhook'),
  problems: { ...NO_KEY, conflict: 'The maximum of webhooks is reached' },
  handle: async ({ context, body, requestId }) => {
    const { db } = context;
    const parts = requireParts(context.webhooks);
    await requireUsable(db, parts, body);
    const { location_external_key: locationExternalKey, settle_seconds: settleSeconds, ...rest } = body;
    const creating = makeChange(db, actorOf(context, requestId), (change) =>
      addWebhook(change, parts, { orgId: db.orgId, locationExternalKey, settleSeconds, ...rest }),
    );
    const { webhook, secret } = await withKey(withPosition(creating));
    return { ...shownWebhook(webhook), secret };
  },
});

const list = route({
  method: 'GET',
  path: '/api/v1/webhooks',
  operationId: 'listWebhooks',
  summary: 'List the webhooks, and how far each has come',
  ...ADMINISTRATION,
  query: { parameters: PAGING },
  success: listed(WEBHOOK, 'A page of webhooks, without their secrets'),
  handle: async ({ context: { db }, query }) => {
    const rows = await listWebhooks(db, db.orgId, query);
    return listBody({ rows, totalCount: await countWebhooks(db, db.orgId) }, query, webhookView);
  },
});

const read = route({
  method: 'GET',
  path: '/api/v1/webhooks/{webhook_id}',
  operationId: 'getWebhook',
  summary: 'Read a webhook, and how far it has come',
  ...ADMINISTRATION,
  params: ONE_WEBHOOK,
  find: ONE,
  success: found(WEBHOOK, 'The webhook, without its secrets'),
  handle: async ({ row }) => webhookView(row),
});

const change = route({
  method: 'PATCH',
  path: '/api/v1/webhooks/{webhook_id}',
  operationId: 'updateWebhook',
  summary: 'Change a webhook, switch it on or off, or change its secret',
  ...ADMINISTRATION,
  params: ONE_WEBHOOK,
  find: ONE,
  body: webhookPatchBody,
  success: found(CHANGED_WEBHOOK, 'The webhook as it is now, with a secret if one was made'),
  problems: NO_KEY,
  handle: async ({ context, row, body, requestId }) => {
    const { db } = context;
    const parts = requireParts(context.webhooks);
    const { location_external_key: locationExternalKey, ...wanted } = body.against({});
    await requireUsable(db, parts, { url: wanted.url, location_external_key: locationExternalKey });
    const changing = setWebhook(
      db,
      actorOf(context, requestId),
      parts,
      { orgId: db.orgId, id: row.id },
      {
        ...{
          name: wanted.name,
          url: wanted.url,
          types: wanted.types,
          locationExternalKey,
          settleSeconds: wanted.settle_seconds,
          state: wanted.state,
        },
        rotatesSecret: wanted.rotate_secret,
        dropsOldSecret: wanted.drop_old_secret,
      },
    );
    const { webhook, secret } = await withKey(changing);
    return { ...shownWebhook(webhook), secret };
  },
});

const remove = route({
  method: 'DELETE',
  path: '/api/v1/webhooks/{webhook_id}',
  operationId: 'deleteWebhook',
  summary: 'Delete a webhook with its secrets and attempts',
  ...ADMINISTRATION,
  params: ONE_WEBHOOK,
  find: ONE,
  success: noContent('The webhook is deleted'),
  handle: async ({ context, row, requestId }) => {
    const { db } = context;
    await deleteWebhook(db, actorOf(context, requestId), { orgId: db.orgId, id: row.id });
  },
});

const test = route({
  method: 'POST',
  path: '/api/v1/webhooks/{webhook_id}/test',
  operationId: 'testWebhook',
  summary: 'Send a test event, and wait for the answer',
  ...ADMINISTRATION,
  params: ONE_WEBHOOK,
  find: ONE,
  success: found(TESTED_WEBHOOK, 'What the receiver answered'),
  problems: { unavailable: `${NO_KEY.unavailable}, or too many tests wait for receivers` },
  handle: async ({ context: { db, webhooks }, row, signal }) => {
    const parts = requireParts(webhooks);
    const test = () => testWebhook(db, parts, { orgId: db.orgId, id: row.id });
    return shownAttempt(await withKey(parts.turns.run(db.orgId, test, signal())));
  },
});

const attempts = route({
  method: 'GET',
  path: '/api/v1/webhooks/{webhook_id}/attempts',
  operationId: 'listWebhookAttempts',
  summary: 'List what was sent and what was answered, newest first',
  ...ADMINISTRATION,
  query: { parameters: PAGING },
  params: ONE_WEBHOOK,
  find: ONE,
  success: listed(ATTEMPT, 'A page of attempts'),
  handle: async ({ context: { db }, row, query }) => {
    const owner = { orgId: db.orgId, webhookId: row.id };
    const rows = await listAttempts(db, owner, query);
    return listBody({ rows, totalCount: await countAttempts(db, owner) }, query, attemptView);
  },
});

const replay = route({
  method: 'POST',
  path: '/api/v1/webhooks/{webhook_id}/replay',
  operationId: 'replayWebhook',
  summary: 'Send everything after a position again',
  ...ADMINISTRATION,
  params: ONE_WEBHOOK,
  find: ONE,
  body: replayBody,
  success: answered(
    {
      type: 'object',
      properties: { data: REPLAYED_WEBHOOK },
      required: ['data'],
      additionalProperties: false,
    },
    'The webhook, which goes on after the position',
  ),
  handle: async ({ context, row, body, requestId }) => {
    const { db } = context;
    const { webhook, after } = await withPosition(
      replayWebhook(db, actorOf(context, requestId), { orgId: db.orgId, id: row.id }, body.after),
    );
    return { data: { ...shownWebhook(webhook), after } };
  },
});

export const webhookRoutes = [create, list, read, change, remove, test, attempts, replay];

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
async function requireUsable(
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
async function withPosition<Result>(work: Promise<Result>): Promise<Result> {
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

function webhookView(webhook: ListedWebhook) {
  return { ...shownWebhook(webhook), ...shownProgress(webhook) };
}

function attemptView(row: AttemptRow) {
  return { ...row, at: wireTime(row.at) };
}
