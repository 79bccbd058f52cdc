import { KEY_MAX_LENGTH, KEY_PATTERN, MAX_ID } from '../../../base/checks/fields.ts';
import { DEPTH_LIMIT } from '../../../base/json/exact-json.ts';
import { PUBLIC_SCOPES } from '../../../domain/administration/api-keys/scopes.ts';
import { PAGING } from '../../../platform/http/lists.ts';
import { JSON_TYPE, MERGE_PATCH_TYPE } from '../../../platform/http/media-type.ts';
import type { ProblemType } from '../../../platform/http/problem.ts';
import { BODY_LIMIT } from '../../../platform/http/read-body.ts';
import { codeTable, problemTable } from './error-tables.ts';

/** How often a key may ask (contract 8). */
export interface Limits {
  perMinute: number;
  burst: number;
}

const { maximum: MOST_ROWS, default: ROWS } = PAGING.limit.schema;

/**
 * What one has to know before the operations, in Markdown; every heading starts a section.
 *
 * @param address where clients reach the API; null if that is not known.
 */
export function guide(
  { perMinute, burst }: Limits,
  types: readonly ProblemType[],
  address: string | null,
): string {
  return `The master data of an organization (assets, locations and the tags attached to them) to read and write, and
what the scans of readers and handhelds tell about them to read: where assets are and where they have been.

The API is for servers. Browsers of other origins are not supported.

## First steps

\`\`\`sh
${address === null ? '# where you got this page from, and your key' : '# where the API is, and your key'}
BASE_URL=${address ?? 'http://127.0.0.1:8080'}
API_KEY=tt_...

curl "$BASE_URL/api/v1/orgs/me" -H "Authorization: Bearer $API_KEY"
\`\`\`

This tells which organization the key belongs to and what it may do. The examples below use the same two variables.

Tools can make a typed client from this description, which is at \`/api/openapi.json\` and \`/api/openapi.yaml\`:

\`\`\`sh
npx openapi-typescript "$BASE_URL/api/openapi.json" -o tagtrail.d.ts
\`\`\`

## Authentication

Send an API key with every request: \`Authorization: Bearer <API key>\`. Nothing else is accepted; not \`X-API-Key\`.
A key belongs to one organization, and sees and changes nothing but its data.

A key has scopes. An operation names the scope it takes (\`x-required-scopes\`); those that name none take any key. A
write scope does not include the read scope. The scopes are ${PUBLIC_SCOPES.map(code).join(', ')}.

Without a good key the answer is 401, with what is wrong in \`detail\`; without the scope it is 403. Many requests
without a good key from one address are answered with 429 instead, and their connection ends; a good key from there is let
in all the same.

## Requests

| Method | Content-Type | Body |
|---|---|---|
| \`GET\`, \`HEAD\`, \`DELETE\` | none | none |
| \`POST\` | \`${JSON_TYPE}\` | what to create or to do |
| \`PATCH\` | \`${MERGE_PATCH_TYPE}\` | what to change (RFC 7396) |

- \`HEAD\` works wherever \`GET\` does, and costs as much. \`OPTIONS\` works nowhere.
- A path that does not have a method answers 405, and names those it has in \`Allow\`.
- Unknown parameters and unknown keys in a body are refused with 400, so that a typing error is never ignored.
- A parameter that takes several values is repeated: \`?location_id=4&location_id=5\`. Any of them matches.
- Paths and queries are percent-encoded UTF-8; a \`+\` is sent as \`%2B\`, or it is read as a blank.
- \`Host\`, \`Authorization\` and \`Content-Type\` are given once; twice is 400.

## Data formats

- **Ids** are integers from 1 to ${MAX_ID}, assigned by the service. They are what paths are made of. An asset and a
  location may have the same id.
- **External keys** are your own: 1 to ${KEY_MAX_LENGTH} characters, \`${KEY_PATTERN.source}\`, case matters. Each is
  unique among the live assets, or the live locations, of the organization. Leave it out on create and one is made.
- **Timestamps** are RFC 3339. Answers have them in UTC with three decimals (\`2026-05-04T08:00:00.000Z\`). Requests
  may use any offset and up to nine decimals, of which six are kept. \`0001-01-01T00:00:00Z\` and
  \`1970-01-01T00:00:00Z\` are refused in bodies: they are what programs send when they mean nothing; send null.
- **Absent values** are null, and never left out of an answer.

## Responses

A success has what was asked for in \`data\`. A list has \`limit\`, \`offset\` and \`total_count\` beside it. What was
created is at the path in \`Location\`.

Every answer has an \`X-Request-ID\`: the one you sent, or a new one. It is what to quote in a support request.

More fields may be added to answers at any time. Ignore those you do not know.

## Paging and sorting

Lists take \`limit\` (1 to ${MOST_ROWS}, ${ROWS} if you give none) and \`offset\`. \`total_count\` says how many rows
there are on all pages, at the same moment as the page. Every order is complete: rows that are equal in what they are
sorted by come in order of id, so that pages of rows that stay as they are never overlap. Rows that come, go or change
between two pages move those behind them: one can come twice or be missed, whatever the order, so tell them apart by
\`id\`. New rows do not come in the order of \`created_at\`, which is when a create began, not when its row was there
to be read; to find those that are new, read from the newest on and past what you know by a margin of minutes.

\`sort\` takes field names separated by commas, with \`-\` in front to sort descending: \`?sort=-created_at,name\`. Text
is sorted by its bytes, and null comes last. The lists of the location tree have one order of their own.

Lists show what is in effect: live, \`valid_from\` has come, \`valid_to\` has not. \`include_deleted=true\` adds what was
soft-deleted, \`include_not_in_effect=true\` what is not in effect yet or no more; what is both takes both. Reading one by
id only asks that it is live.

A key belongs to its row whether that is in effect or not. So if a create or a rename answers 409 and the list does not
show who has the key, ask for \`?external_key=...&include_not_in_effect=true\`; for a tag, \`?q=...\` of its value.

## Updating and deleting

A PATCH has the fields to change and leaves the others alone.

- Null clears what can be empty; elsewhere it is refused.
- \`metadata\` is replaced as a whole. \`{}\` empties it.
- What you read can be sent back: read-only fields are refused only where they differ from what is.
- What changes nothing is answered with 200, and does not move \`updated_at\`.
- Against lost updates, send the \`updated_at\` that you read along with the change. If the row has changed since, the
  answer is 400, \`read_only\` for \`updated_at\`, and nothing is changed. Of several that send the same one, one
  succeeds. \`If-Match\` and \`If-Unmodified-Since\` are refused on every write with 400, never passed over.

The external key is changed by a rename, tags by attaching and detaching, and where an asset is by scans only.

Deleting is soft: the row can still be listed, its external key and its tags are free at once, and reading it by id
answers 404.

## Errors

Every answer that is not a success has this body, as \`${JSON_TYPE}\`:

\`\`\`json
{
  "error": {
    "type": "validation_error",
    "title": "Validation failed",
    "status": 400,
    "detail": "external_key must match ^[A-Za-z0-9-]+$ (and 1 more validation error(s))",
    "instance": "/api/v1/assets",
    "request_id": "01KQSB3M8R0E5T9V2W4X6Y8Z1A",
    "fields": [
      { "field": "external_key", "code": "invalid_value", "message": "external_key must match ^[A-Za-z0-9-]+$" },
      { "field": "name", "code": "required", "message": "name is required" }
    ]
  }
}
\`\`\`

Branch on \`type\`, and treat types you do not know by their status. The wording of \`detail\` and \`message\` may change.

${problemTable(types)}

A \`validation_error\` names everything that is wrong in \`fields\`. Their codes:

${codeTable()}

Requests are checked in this order, and the first that fails is answered: the path and the method, the key, the rate
limit, the scope, the media type, the parameters, whether the thing is there, the body, what it refers to, and last
whether it conflicts with what is there. A request that is refused has changed nothing.

## Rate limits and sizes

Each key has a bucket of ${burst} requests that refills at ${perMinute} a minute. Every request to an operation takes
one, whatever its answer; requests without a valid key, to unknown paths and for this description take none.

Every answer tells: \`X-RateLimit-Limit\` is what refills in a minute, \`X-RateLimit-Remaining\` what is left (never
more than the limit), \`X-RateLimit-Reset\` when it is as much as the limit again, in seconds since 1970. An empty
bucket answers 429 with \`Retry-After\` in seconds.

What may read much (searches, filters, far pages, whole trees) runs one or two at a time for an organization, waits for
that for 45 seconds at most, and has a time limit. Whatever waits or takes longer is answered with 503
\`query_timeout\` and \`Retry-After\`: ask for less at a time, and narrow it with filters. Writes of an organization take
turns in the same way, a few at a time. A request whose caller hangs
up is not carried on with.

| Size | At most |
|---|---|
| Rows on a page | ${MOST_ROWS} |
| Request body | ${BODY_LIMIT / 1_048_576} MiB, ${DEPTH_LIMIT} levels deep |
| Name | 255 characters |
| Description | 1024 characters |
| Value of a tag | 255 characters |

## Retries

| Answer | Try again? |
|---|---|
| 429, 503 | after \`Retry-After\`; nothing was changed, whatever the method |
| 500, or none | with growing pauses; a write may have been carried out |
| any other 4xx | not unchanged |

A create with an external key can be repeated: if the first came through, the second answers 409. Without a key it
creates another. \`Idempotency-Key\` is not supported. A delete that is repeated answers 404.

## Versioning

The version is in the path. Within \`v1\` things are only added: fields, parameters, operations, error types, codes and
kinds of tag. Values of fields marked \`x-extensible-enum\` are those known today.

An operation that is to go says so for at least six months: its answers carry \`Deprecation: true\` and the date in
\`Sunset\`. After that date it answers 410. None is on its way out unless it is marked as such below.
`;
}

function code(text: string): string {
  return `\`${text}\``;
}
