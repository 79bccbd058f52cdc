import { readFileSync } from 'node:fs';
import { KEY_MAX_LENGTH, KEY_PATTERN } from '../../../base/checks/fields.ts';
import { MAX_ID } from '../../../base/checks/id-field.ts';
import { ISSUE_CODES, type IssueCode } from '../../../base/checks/issues.ts';
import { DEPTH_LIMIT } from '../../../base/json/exact-json.ts';
import { PUBLIC_SCOPES } from '../../../domain/administration/api-keys/scopes.ts';
import { PAGING } from '../../../platform/http/lists.ts';
import { JSON_TYPE, MERGE_PATCH_TYPE } from '../../../platform/http/media-type.ts';
import { PROBLEMS, type ProblemType } from '../../../platform/http/problem.ts';
import { BODY_LIMIT } from '../../../platform/http/read-body.ts';

export interface Limits {
  perMinute: number;
  burst: number;
}

/**
 * The introduction in Markdown: `guide.md` with the current figures. Second-level headings begin sections.
 *
 * @param address of the API for clients; null if unknown.
 */
export function guide(
  { perMinute, burst }: Limits,
  types: readonly ProblemType[],
  address: string | null,
): string {
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
      throw new Error(`guide.md has {{${name}}}, which nothing is known of`);
    }
    return String(value);
  });
}

/** Contract 7.2. */
const WHEN: Record<ProblemType, string> = {
  validation_error: 'a parameter or a field of the body is not valid; `fields` says which and why',
  bad_request:
    'the body is not JSON, a field has another JSON type, or the request is not one that can be read',
  unauthorized: 'no key, or not a good one',
  forbidden: 'the key does not have the scope, or its organization no longer exists',
  not_found: 'no such path, or nothing live with this id in your organization',
  method_not_allowed: 'the path does not have this method',
  request_timeout: 'the request did not come to its end in time; try again after `Retry-After` seconds',
  conflict: 'a key or a tag is taken, or something stands in the way',
  gone: 'the operation was discontinued',
  feed_expired: 'events after this position are not kept any more; begin anew',
  payload_too_large: 'the body is too large',
  unsupported_media_type: 'the body is of another media type, or compressed',
  missing_org_context: 'the organization of the key no longer exists; on `/orgs/me` only',
  rate_limited: 'the key made too many requests',
  internal_error: 'something failed on our side; a write may have been carried out',
  query_timeout: 'it took too long, or its turn did not come in time; nothing was changed',
  unavailable:
    'too much is under way for this key, the database cannot be reached, or the organization moves to another one; nothing was changed, try again after ' +
    '`Retry-After` seconds',
};

/** Contract 7.3. */
const MEANING: Record<IssueCode, string> = {
  required: 'it is not there',
  invalid_value: 'it is not what it must be, or null where it cannot be',
  unknown_field: 'there is no such parameter, or no such key in the body',
  too_short: 'shorter than `params.min_length`',
  too_long: 'longer than `params.max_length`',
  too_small: 'less than `params.min`',
  too_large: 'more than `params.max`',
  fk_not_found: 'what it refers to is not there',
  ambiguous_fields: 'two that say the same, of which only one may be there',
  read_only: 'it cannot be written here, and differs from what is',
};

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
