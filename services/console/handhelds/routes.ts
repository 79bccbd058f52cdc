import { invalid, invalidValue } from '../../../base/checks/issues.ts';
import { heardEverywhere } from '../../../base/heard-everywhere.ts';
import { type Database, databaseOn } from '../../../db/timescale/connections/database.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import { ExpiryPassed } from '../../../domain/administration/expiry.ts';
import {
  type CreatedHandheld,
  createHandheld,
  renewToken,
} from '../../../domain/administration/handhelds/create-handheld.ts';
import { listPageOfHandhelds } from '../../../domain/administration/handhelds/list-handhelds.ts';
import { renameHandheld } from '../../../domain/administration/handhelds/rename-handheld.ts';
import { revokeUnheard } from '../../../domain/administration/handhelds/revoke-handheld.ts';
import { signInAddress } from '../../../domain/administration/handhelds/token-format.ts';
import type { Actor } from '../../../domain/changes/actor.ts';
import { listBody, PAGING } from '../../../platform/http/lists.ts';
import { idInPath } from '../../../platform/http/parameters.ts';
import { found, listed, noContent } from '../../../platform/http/success.ts';
import { type ConsoleContext, memberRoute } from '../serving/context.ts';
import { actorOfUser } from '../serving/person.ts';
import {
  CREATED_HANDHELD,
  HANDHELD,
  handheldPatchBody,
  type NewHandheld,
  newHandheldBody,
} from './schema.ts';

/**
 * The address of the handhelds' app. Without a setting, the machine whose name the browser used for the console,
 * because that name also works from elsewhere.
 */
function appAddress({ parts: { handhelds, publicUrl }, sender }: ConsoleContext): string {
  if (handhelds.url !== null) {
    return handhelds.url;
  }
  // A read before a write, and so from the console's own connection.
  const { hostname } = new URL(publicUrl ?? sender.origin ?? 'http://localhost');
  return `${handhelds.scheme}://${hostname}:${handhelds.port}`;
}

const list = memberRoute({
  ...{ method: 'GET', path: '/console/v1/handhelds', operationId: 'listHandhelds' },
  summary: 'The handhelds, revoked and expired ones too',
  ...{ scope: 'handhelds:admin', query: { parameters: PAGING } },
  success: listed(HANDHELD, 'A page of handhelds, without their tokens'),
  handle: async ({ context: { db, parts }, query }) => {
    const page = await parts.insight.run(db.orgId, (installation) =>
      listPageOfHandhelds(installation, db.orgId, query),
    );
    return listBody(page, query, ({ org_id: _, ...row }) => row);
  },
});

const create = memberRoute({
  ...{ method: 'POST', path: '/console/v1/handhelds', operationId: 'createHandheld' },
  summary: 'Let a handheld in by a token',
  scope: 'handhelds:admin',
  body: newHandheldBody,
  success: found(CREATED_HANDHELD, 'The handheld, with its token, shown this once'),
  problems: { conflict: 'The maximum of handhelds is reached' },
  handle: async ({ context, body, requestId }) => {
    const { db, parts, session } = context;
    const { id, token } = await parts.insight.run(db.orgId, (installation) =>
      createChecked(databaseOn(installation), actorOfUser(session, requestId), { orgId: db.orgId, ...body }),
    );
    return { id, name: body.name, token, sign_in_url: signInAddress(appAddress(context), token) };
  },
});

const ONE = {
  params: { handheld_id: idInPath },
  find: {
    missing: 'Handheld not found',
    row: ({ context: { db, parts }, params }: { context: ConsoleContext; params: { handheld_id: number } }) =>
      parts.insight.run(db.orgId, (installation) =>
        installation.maybeOne(sql.type(rowsOf<{ id: number }>())`
          select id from handhelds where org_id = ${db.orgId} and id = ${params.handheld_id}`),
      ),
  },
} as const;

const rename = memberRoute({
  ...{ method: 'PATCH', path: '/console/v1/handhelds/{handheld_id}', operationId: 'updateHandheld' },
  summary: 'Call a handheld something else',
  ...{ scope: 'handhelds:admin', ...ONE },
  body: handheldPatchBody,
  success: noContent('Renamed'),
  handle: async ({ context: { db, parts, session }, row: { id }, body, requestId }) => {
    const { name } = body.against({});
    if (name !== undefined) {
      const actor = actorOfUser(session, requestId);
      await parts.insight.run(db.orgId, (installation) =>
        renameHandheld(databaseOn(installation), actor, { orgId: db.orgId, id, name }),
      );
    }
  },
});

const renew = memberRoute({
  ...{ method: 'POST', path: '/console/v1/handhelds/{handheld_id}/token', operationId: 'renewHandheldToken' },
  summary: 'Another token for a handheld; the one before is refused from its next request on',
  ...{ scope: 'handhelds:admin', ...ONE },
  success: found(CREATED_HANDHELD, 'The handheld, with its token, shown this once'),
  problems: { conflict: 'It is revoked, or its token has expired' },
  handle: async ({ context, row: { id }, requestId }) => {
    const { db, parts, session } = context;
    const actor = actorOfUser(session, requestId);
    const renewed = await parts.insight.run(db.orgId, (installation) =>
      renewToken(databaseOn(installation), actor, { orgId: db.orgId, id }),
    );
    await heardEverywhere();
    return { ...renewed, sign_in_url: signInAddress(appAddress(context), renewed.token) };
  },
});

const revoke = memberRoute({
  ...{ method: 'DELETE', path: '/console/v1/handhelds/{handheld_id}', operationId: 'revokeHandheld' },
  summary: "Revoke a handheld's token, from the next request on",
  ...{ scope: 'handhelds:admin', ...ONE },
  success: noContent('Revoked'),
  handle: async ({ context: { db, parts, session }, row: { id }, requestId }) => {
    await parts.insight.run(db.orgId, (installation) =>
      revokeUnheard(databaseOn(installation), actorOfUser(session, requestId), id),
    );
    await heardEverywhere();
  },
});

export const handheldRoutes = [list, create, rename, renew, revoke];

/**
 * Registers a handheld.
 *
 * @throws Invalid for an expiry that is not in the future.
 */
async function createChecked(
  db: Database,
  actor: Actor,
  { orgId, name, expires_at: expiresAt = null }: NewHandheld & { orgId: number },
): Promise<CreatedHandheld> {
  try {
    return await createHandheld(db, actor, { orgId, name, expiresAt });
  } catch (error) {
    throw error instanceof ExpiryPassed
      ? invalid([invalidValue('expires_at', 'must be in the future')])
      : error;
  }
}
