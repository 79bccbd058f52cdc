import { timingSafeEqual } from 'node:crypto';
import type Koa from 'koa';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { Clock } from '../../base/clock.ts';
import type { Networks } from '../../base/networks.ts';
import type { OrganizationDoor } from '../../db/timescale/connections/organization-door.ts';
import { credentialKey } from '../../domain/administration/credential-uses.ts';
import { digestOfSecret, parseToken } from '../../domain/administration/handhelds/token-format.ts';
import type { Hearing } from '../../domain/listening/hearing.ts';
import type { CredentialUsage } from '../../platform/access/credential-usage.ts';
import { assembleDocument } from '../../platform/description/assemble.ts';
import type { OpenApiDocument } from '../../platform/description/openapi.ts';
import { createHttpApp } from '../../platform/http/app.ts';
import { serveFiles } from '../../platform/http/app-files/serve-files.ts';
import { bearerOf, CHALLENGE, unauthorized } from '../../platform/http/bearer.ts';
import type { Access, Limiter, NoteRefusal } from '../../platform/http/entrance.ts';
import type { LargeBodies } from '../../platform/http/large-bodies.ts';
import { type Page, servePages } from '../../platform/http/pages.ts';
import { organizationMoves } from '../../platform/http/problem.ts';
import { BODY_LIMIT } from '../../platform/http/read-body.ts';
import type { LoggedRequests } from '../../platform/http/request-log.ts';
import type { RefuseSignIn } from '../../platform/rate-limit/sign-in-failures.ts';
import type { Health } from '../../platform/runtime/health.ts';
import type { HandheldCache } from './access/queries.ts';
import { APP_HEADERS } from './app-folder.ts';
import type { SubmissionRecorder } from './recording/record-submission.ts';
import type { SweepRecorder } from './recording/record-sweep.ts';
import type { Retractor } from './recording/retractor.ts';
import { GATEWAY_RESOURCES, GATEWAY_ROUTES } from './routes.ts';
import type { HandheldContext, Listeners } from './serving/context.ts';

export interface AppParts extends HandheldAccessParts {
  health: Health;
  log: Logger;
  logRequests: LoggedRequests;
  trustedProxies: Networks;
  registry: Registry;
  limiter: Limiter<HandheldContext>;
  refuseSignIn: RefuseSignIn;
  noteRefusal: NoteRefusal;
  largeBodies: LargeBodies;
  limits: Limits;
  appFolder: string;
}

export function createApp({
  health,
  log,
  logRequests,
  trustedProxies,
  registry,
  limiter,
  refuseSignIn,
  noteRefusal,
  limits,
  appFolder,
  largeBodies,
  ...access
}: AppParts): Koa {
  return createHttpApp({
    log,
    logRequests,
    trustedProxies,
    registry,
    limiter,
    refuseSignIn,
    noteRefusal,
    routes: GATEWAY_ROUTES,
    access: handheldAccess(access),
    largeBodies: { threads: largeBodies, bodies: import.meta.resolve('./bodies.ts') },
    pages: [servePages(health), serveFiles(appFolder, APP_HEADERS)],
    documents: [publish(limits)],
  });
}

const DESCRIPTION_PATH = '/handheld/openapi.json';

function publish(limits: Limits) {
  let page: Page | undefined;
  const describe = (): Page => ({
    status: 200,
    contentType: 'application/json',
    body: Buffer.from(`${JSON.stringify(describeGateway(limits), null, 2)}\n`),
    headers: { 'X-Content-Type-Options': 'nosniff' },
  });
  return servePages(async (path) => {
    if (path !== DESCRIPTION_PATH) {
      return null;
    }
    page ??= describe();
    return page;
  });
}

interface HandheldAccessParts {
  door: OrganizationDoor;
  handhelds: HandheldCache;
  usage: CredentialUsage;
  recorder: SubmissionRecorder;
  sweeps: SweepRecorder;
  retractor: Retractor;
  hearing: Hearing;
  listeners: Listeners;
  clock: Clock;
}

/**
 * Authenticates handhelds. There are no scopes: a token allows everything or nothing. A token of a deleted
 * organization counts as revoked, so that the device asks for another.
 */
function handheldAccess(parts: HandheldAccessParts): Access<HandheldContext> {
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
  { door, handhelds, usage, clock, ...parts }: HandheldAccessParts,
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
  return { orgId, handheldId, receivedAt, db: door.of(orgId), ...parts };
}

interface Limits {
  perMinute: number;
  burst: number;
}

export function describeGateway(limits: Limits): OpenApiDocument {
  return assembleDocument(GATEWAY_RESOURCES, {
    title: 'tagtrail for handhelds',
    summary: 'Scans of handhelds, and look-ups for them.',
    guide: () => guide(limits),
    server: { url: '/', description: 'Where this description was fetched from.' },
    credential: {
      name: 'handheldToken',
      description: `The token of a registered handheld, \`Authorization: Bearer th_...\`. Answers without a valid one carry \`WWW-Authenticate: ${CHALLENGE}\`.`,
    },
  });
}

function guide({ perMinute, burst }: Limits): string {
  return `Envelopes, errors and request ids are those of the public API. A success has what was asked for in \`data\`; a list
has \`limit\`, \`offset\` and \`total_count\` beside it. Every answer has an \`X-Request-ID\`: the one that was sent, or a new one.

Each handheld has a bucket of ${burst} requests that refills at ${perMinute} a minute. An empty bucket answers 429 with \`Retry-After\`.
A body has at most ${BODY_LIMIT / 1_048_576} MiB.

| Answer to a submission, retraction or sweep | What a device does |
|---|---|
| 200, 201 | goes on with the next |
| 400, 403, 404, 409, 413 | shows it to its user, who has to do something, and goes on with the next |
| 401 | stops, and asks for another token |
| 429, 5xx, or none | sends the same again, after \`Retry-After\` or growing pauses, with a new \`sent_at\` |
`;
}
