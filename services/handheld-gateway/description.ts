import { assembleDocument } from '../../platform/description/assemble.ts';
import type { OpenApiDocument } from '../../platform/description/openapi.ts';
import { CHALLENGE } from '../../platform/http/bearer.ts';
import { BODY_LIMIT } from '../../platform/http/read-body.ts';
import { GATEWAY_RESOURCES } from './routes.ts';

export interface Limits {
  perMinute: number;
  burst: number;
}

export function describeGateway(limits: Limits): OpenApiDocument {
  return assembleDocument(GATEWAY_RESOURCES, {
    title: 'tagtrail for handhelds',
    summary: 'What people scan, and what their devices have to know.',
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
