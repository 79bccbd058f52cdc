import type { StreamedBody } from '../../shared/http/body.ts';
import { type FieldIssue, invalidValue, required, unknownField } from '../../shared/http/issues.ts';
import { MULTIPART_TYPE } from '../../shared/http/media-type.ts';
import { booleanFilter } from '../../shared/http/parameters.ts';
import { refuseIssues } from '../../shared/http/problem.ts';
import { boundaryOf } from './boundary.ts';
import { readForm } from './multipart.ts';

export const BULK = { parameters: { dry_run: booleanFilter(false) } };

/** The largest upload, in bytes: 10 MiB. */
const UPLOAD_LIMIT = 10_485_760;

/** A form with one field `file`, the rows to import. */
export const bulkBody: StreamedBody<undefined> = {
  type: MULTIPART_TYPE,
  schema: {
    type: 'object',
    properties: { file: { type: 'string', contentMediaType: 'text/csv' } },
    required: ['file'],
    additionalProperties: false,
  },
  limit: UPLOAD_LIMIT,
  receive: async (chunks, headers) => {
    const names: string[] = [];
    for await (const event of readForm(chunks, boundaryOf(headers['content-type'] ?? ''))) {
      if (event.kind === 'part') {
        names.push(event.name);
      }
    }
    refuseIssues(issuesOf(names));
    return undefined;
  },
};

/** What is wrong with a form that has fields of these names. */
function issuesOf(names: readonly string[]): FieldIssue[] {
  const files = names.filter((name) => name === 'file').length;
  const unknown = [...new Set(names)].filter((name) => name !== 'file').sort();
  return [
    ...(files === 0 ? [required('file')] : []),
    ...(files > 1 ? [invalidValue('file', 'must be given only once')] : []),
    ...unknown.map((name) => unknownField(name, `unknown field "${name}" in request body`)),
  ];
}
