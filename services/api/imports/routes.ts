import type { JsonSchema } from '../../../base/checks/fields.ts';
import {
  type FieldIssue,
  invalid,
  invalidValue,
  refuseIssues,
  required,
  unknownField,
} from '../../../base/checks/issues.ts';
import { FILE_LIMIT, issuesOfFile } from '../../../domain/master-data/imports/read-rows.ts';
import type { ImportReport } from '../../../domain/master-data/imports/report.ts';
import { MULTIPART_TYPE, type StreamedBody } from '../../../platform/http/body.ts';
import { booleanFilter } from '../../../platform/http/parameters.ts';
import { badRequest } from '../../../platform/http/problem.ts';
import { found } from '../../../platform/http/success.ts';
import { actorOf, route } from '../serving/context.ts';
import { TOO_MANY } from '../serving/import-turns.ts';
import { readForm } from './multipart.ts';
import { runImport } from './run-import.ts';

const PARAMETER = /;\s*boundary\s*=\s*(?:"([^"]*)"|([^\s;"]+))/i;
const BOUNDARY = /^[A-Za-z0-9'()+_,\-./:=? ]{0,69}[A-Za-z0-9'()+_,\-./:=?]$/;

const BULK = { parameters: { dry_run: booleanFilter(false) } };

/** A form with one field `file`; its bytes are held, its rows are not. */
const bulkBody: StreamedBody<readonly Buffer[]> = {
  type: MULTIPART_TYPE,
  schema: {
    type: 'object',
    properties: { file: { type: 'string', contentMediaType: 'text/csv' } },
    required: ['file'],
    additionalProperties: false,
  },
  limit: FILE_LIMIT,
  receive: async (chunks, headers) => {
    const names: string[] = [];
    const content: Buffer[] = [];
    for await (const event of readForm(chunks, boundaryOf(headers['content-type'] ?? ''))) {
      if (event.kind === 'part') {
        names.push(event.name);
      } else if (names.at(-1) === 'file') {
        content.push(event.bytes);
      }
    }
    refuseIssues(issuesOf(names));
    return content;
  },
};

const COUNT: JsonSchema = { type: 'integer', minimum: 0 };

const IMPORT_REPORT: JsonSchema = {
  title: 'ImportReport',
  type: 'object',
  properties: {
    dry_run: { type: 'boolean' },
    rows: COUNT,
    created: COUNT,
    updated: COUNT,
    unchanged: COUNT,
    changes: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          line: { type: 'integer', minimum: 1 },
          action: { type: 'string', enum: ['create', 'update'] },
          external_key: { type: ['string', 'null'] },
          name: { type: 'string' },
          fields: {
            type: 'array',
            items: {
              type: 'object',
              properties: { field: { type: 'string' }, from: {}, to: {} },
              required: ['field', 'from', 'to'],
            },
          },
        },
        required: ['line', 'action', 'external_key', 'name', 'fields'],
      },
    },
    changes_left_out: COUNT,
    respelled: {
      type: 'array',
      description:
        'Tags left as they are, because the row has them in another spelling (`as`), which every read matches as well. Only if there are some.',
      items: {
        type: 'object',
        properties: {
          line: { type: 'integer', minimum: 1 },
          tag: { type: 'string' },
          as: { type: 'string' },
        },
        required: ['line', 'tag', 'as'],
      },
    },
    respelled_left_out: COUNT,
  },
  required: ['dry_run', 'rows', 'created', 'updated', 'unchanged', 'changes', 'changes_left_out'],
};

const bulk = route({
  method: 'POST',
  path: '/api/v1/assets/bulk',
  operationId: 'importAssets',
  summary: 'Import assets from a CSV file',
  scope: 'assets:write',
  isInternal: true,
  query: BULK,
  body: bulkBody,
  success: found<ImportReport>(IMPORT_REPORT, 'What was imported, or would be'),
  problems: {
    conflict: 'Another import of the organization is under way',
    unavailable: TOO_MANY,
  },
  handle: ({ context, query, body, requestId, charge, signal }) => {
    const source = async function* () {
      yield* body;
    };
    const work = async () => {
      const outcome = await runImport(context, actorOf(context, requestId), {
        ...{ resource: 'asset', source, charge },
        isDryRun: query.dry_run,
      });
      if (!outcome.isImported) {
        throw invalid(issuesOfFile(outcome.issues), outcome.leftOut);
      }
      return outcome.report;
    };
    return context.imports.run(context.db.orgId, work, signal());
  },
});

export const importRoutes = [bulk];

/**
 * The boundary of a `multipart/form-data` header (RFC 2046 section 5.1.1).
 *
 * @throws Problem `bad_request` if there is none.
 */
export function boundaryOf(contentType: string): string {
  const [, quoted, plain] = PARAMETER.exec(contentType) ?? [];
  const boundary = quoted ?? plain ?? '';
  if (!BOUNDARY.test(boundary)) {
    throw badRequest('Content-Type must name the boundary of the parts');
  }
  return boundary;
}

function issuesOf(names: readonly string[]): FieldIssue[] {
  const files = names.filter((name) => name === 'file').length;
  const unknown = [...new Set(names)].filter((name) => name !== 'file').sort();
  return [
    ...(files === 0 ? [required('file')] : []),
    ...(files > 1 ? [invalidValue('file', 'must be given only once')] : []),
    ...unknown.map((name) => unknownField(name, `unknown field "${name}" in request body`)),
  ];
}
