import { readFileSync } from 'node:fs';
import { KEY_MAX_LENGTH, KEY_PATTERN, MAX_ID } from '../../../base/checks/fields.ts';
import { ISSUE_CODES, type IssueCode } from '../../../base/checks/issues.ts';
import { DEPTH_LIMIT } from '../../../base/json/exact-json.ts';
import { PUBLIC_SCOPES } from '../../../domain/administration/api-keys/scopes.ts';
import { assembleDocument } from '../../../platform/description/assemble.ts';
import { type DescribedResource, publicPart } from '../../../platform/description/described-route.ts';
import type { OpenApiDocument } from '../../../platform/description/openapi.ts';
import { CHALLENGE } from '../../../platform/http/bearer.ts';
import { JSON_TYPE, MERGE_PATCH_TYPE } from '../../../platform/http/body.ts';
import { PAGING } from '../../../platform/http/lists.ts';
import { PROBLEMS, type ProblemType } from '../../../platform/http/problem.ts';
import { BODY_LIMIT } from '../../../platform/http/read-body.ts';

interface Limits {
  perMinute: number;
  burst: number;
}

/** Contract 7.2. */
const WHEN: Record<ProblemType, string> = {
  validation_error: 'a parameter or a field of the body is not valid; `fields` says which and why',
  bad_request: 'the body is not JSON, a field has the wrong JSON type, or the request cannot be read',
  unauthorized: 'no valid key',
  forbidden: 'the key lacks the scope, or its organization was deleted',
  not_found: 'no such path, or nothing live with this id in your organization',
  method_not_allowed: 'the path does not have this method',
  request_timeout: 'the request was not complete in time; retry after `Retry-After` seconds',
  conflict: 'a key or a tag is taken, a location is not empty, or a parent would make a circle',
  gone: 'the operation was discontinued',
  feed_expired: 'events after this position are no longer kept; begin again',
  payload_too_large: 'the body is too large',
  unsupported_media_type: 'the body has another media type, or is compressed',
  missing_org_context: 'the organization of the key was deleted; on `/orgs/me` only',
  rate_limited: 'the key made too many requests',
  internal_error: 'the service failed; a write may have been carried out',
  query_timeout: 'it took too long, or waited too long for its turn; nothing was changed',
  unavailable:
    'the database is away, this key has too much under way, or the organization is moving to another database; nothing was changed, retry after `Retry-After` seconds',
};

/** Contract 7.3. */
const MEANING: Record<IssueCode, string> = {
  required: 'absent',
  invalid_value: 'a value that is not allowed, or null where a value is needed',
  unknown_field: 'no such parameter, or no such key in the body',
  too_short: 'shorter than `params.min_length`',
  too_long: 'longer than `params.max_length`',
  too_small: 'less than `params.min`',
  too_large: 'more than `params.max`',
  fk_not_found: 'the row it refers to does not exist, or is deleted',
  ambiguous_fields: 'two ways to say the same, where only one is allowed',
  read_only: 'cannot be written here, and differs from the present value',
};

export interface DescriptionOptions {
  /** Base address for clients; null for the address of the description. */
  publicUrl: string | null;
  limits: Limits;
}

/** The public part of the API as an OpenAPI 3.1 document (contract 9). */
export function describePublicApi(
  resources: readonly DescribedResource[],
  options: DescriptionOptions,
): OpenApiDocument {
  return describeApi(
    resources.flatMap((resource) => publicPart(resource) ?? []),
    options,
  );
}

export function describeApi(
  resources: readonly DescribedResource[],
  { publicUrl, limits }: DescriptionOptions,
): OpenApiDocument {
  return assembleDocument(resources, {
    title: 'tagtrail',
    summary: 'Where assets are, where they have been, and how long they stayed.',
    guide: (types) => guide(limits, types, publicUrl === null ? null : addressOf(new URL(publicUrl))),
    server: serverOf(publicUrl),
    credential: {
      name: 'apiKey',
      description: `An API key, \`Authorization: Bearer tt_...\`. Each operation names the scopes it takes in \`x-required-scopes\`. Answers without a valid key carry \`WWW-Authenticate: ${CHALLENGE}\`.`,
    },
  });
}

function serverOf(publicUrl: string | null): { url: string; description: string } {
  return publicUrl === null
    ? { url: '/', description: 'Where this description was fetched from.' }
    : { url: addressOf(new URL(publicUrl)), description: 'Where clients reach the API.' };
}

export function addressOf({ origin, pathname }: URL): string {
  return origin + pathname.replace(/(?<!\/)\/+$/, '');
}

/**
 * The introduction in Markdown: `guide.md` with the current figures. Second-level headings begin sections.
 *
 * @param address of the API for clients; null if unknown.
 */
function guide({ perMinute, burst }: Limits, types: readonly ProblemType[], address: string | null): string {
  const values: Readonly<Record<string, unknown>> = {
    whereTheApiIs:
      address === null ? '# where you got this page from, and your key' : '# where the API is, and your key',
    address: address ?? 'http://127.0.0.1:8080',
    scopes: PUBLIC_SCOPES.map((scope) => `\`${scope}\``).join(', '),
    jsonType: JSON_TYPE,
    mergePatchType: MERGE_PATCH_TYPE,
    maxId: MAX_ID,
    keyMaxLength: KEY_MAX_LENGTH,
    keyPattern: KEY_PATTERN.source,
    mostRows: PAGING.limit.schema['maximum'],
    rows: PAGING.limit.schema['default'],
    problemTable: problemTable(types),
    codeTable: codeTable(),
    burst,
    perMinute,
    bodyMebibytes: BODY_LIMIT / 1_048_576,
    depthLimit: DEPTH_LIMIT,
  };
  const text = readFileSync(new URL('guide.md', import.meta.url), 'utf8');
  return text.replace(/\{\{(\w+)\}\}/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) {
      throw new Error(`guide.md has an unknown value: {{${name}}}`);
    }
    return String(value);
  });
}

function problemTable(types: readonly ProblemType[]): string {
  const rows = types.map(
    (type) => `| ${PROBLEMS[type].status} | \`${type}\` | ${PROBLEMS[type].title} | ${WHEN[type]} |`,
  );
  return ['| Status | Type | Title | When |', '|---|---|---|---|', ...rows].join('\n');
}

function codeTable(): string {
  const rows = ISSUE_CODES.map((code) => `| \`${code}\` | ${MEANING[code]} |`);
  return ['| Code | Meaning |', '|---|---|', ...rows].join('\n');
}
