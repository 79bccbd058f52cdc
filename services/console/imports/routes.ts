import { choice, ID_SCHEMA, type JsonSchema, TIME_SCHEMA, text } from '../../../base/checks/fields.ts';
import { nullableSchema } from '../../../base/checks/members.ts';
import { AppError, notFound, orNotFound } from '../../../base/errors.ts';
import { expensiveTurns } from '../../../base/expensive-turns.ts';
import { JsonText } from '../../../base/json/json-text.ts';
import { wireTime, wireTimeOrNull } from '../../../base/timestamps.ts';
import type { Keyed } from '../../../domain/master-data/by-id-or-key.ts';
import { FILE_LIMIT } from '../../../domain/master-data/imports/read-rows.ts';
import {
  applyImport,
  checkImport,
  type RunImport,
} from '../../../domain/master-data/kept-imports/check-and-apply.ts';
import {
  findImport,
  type KeptImport,
  listImports,
} from '../../../domain/master-data/kept-imports/find-import.ts';
import { discardImport, storeFile } from '../../../domain/master-data/kept-imports/store-file.ts';
import { CSV_TYPE, type StreamedBody } from '../../../platform/http/body.ts';
import { described, idInPath, mandatoryParameter } from '../../../platform/http/parameters.ts';
import { created, found, noContent } from '../../../platform/http/success.ts';
import { runImport, TOO_MANY_IMPORTS } from '../../api/entry.ts';
import { type ConsoleContext, memberRoute } from '../serving/context.ts';
import { actorOfUser } from '../serving/person.ts';
import { COUNT_SCHEMA, listOf, objectOf, TEXT_OR_NULL, TEXT_SCHEMA } from '../serving/schemas.ts';
import { takeUploadTurn } from '../serving/upload-turn.ts';

const FILE = {
  parameters: {
    resource: described(
      mandatoryParameter(choice(['asset', 'location'] as const)),
      'What its rows are.',
      'asset',
    ),
    file_name: described(mandatoryParameter(text(255)), 'The name it had.', 'assets.csv'),
  },
};

const fileBody: StreamedBody<Buffer> = {
  type: CSV_TYPE,
  schema: { type: 'string', contentMediaType: CSV_TYPE },
  limit: FILE_LIMIT,
  receive: async (chunks) => {
    const content: Buffer[] = [];
    for await (const chunk of chunks) {
      content.push(chunk);
    }
    return Buffer.concat(content);
  },
};

const ROW = objectOf({
  line: COUNT_SCHEMA,
  external_key: TEXT_OR_NULL,
  name: TEXT_OR_NULL,
  fields: listOf(objectOf({ field: TEXT_SCHEMA, from: {}, to: {} })),
});

const FAULT = objectOf({
  line: COUNT_SCHEMA,
  column: TEXT_SCHEMA,
  value: TEXT_OR_NULL,
  code: TEXT_SCHEMA,
  message: TEXT_SCHEMA,
});

const COUNTS = { created: COUNT_SCHEMA, updated: COUNT_SCHEMA, unchanged: COUNT_SCHEMA };

const RESPELLED = objectOf({ line: COUNT_SCHEMA, tag: TEXT_SCHEMA, as: TEXT_SCHEMA });

const OUTCOME_MEMBERS = {
  rows: COUNT_SCHEMA,
  counts: objectOf({ ...COUNTS, faulty: COUNT_SCHEMA }),
  shown: objectOf({ created: listOf(ROW), updated: listOf(ROW), unchanged: listOf(ROW) }),
  faults: listOf(FAULT),
  faults_left_out: COUNT_SCHEMA,
};

/** `respelled` is there only if some are. */
const OUTCOME: JsonSchema = {
  ...objectOf(OUTCOME_MEMBERS),
  properties: { ...OUTCOME_MEMBERS, respelled: listOf(RESPELLED) },
};

const STATES = ['uploaded', 'checking', 'checked', 'applying', 'applied'];

const MEMBERS: Readonly<Record<string, JsonSchema>> = {
  id: ID_SCHEMA,
  resource: { type: 'string', enum: ['asset', 'location'] },
  file_name: TEXT_SCHEMA,
  bytes: COUNT_SCHEMA,
  state: { type: 'string', enum: STATES },
  done_rows: COUNT_SCHEMA,
  rows: nullableSchema(COUNT_SCHEMA),
  created_at: TIME_SCHEMA,
  checked_at: nullableSchema(TIME_SCHEMA),
  applied_at: nullableSchema(TIME_SCHEMA),
};

const IMPORT = objectOf(MEMBERS);

const IMPORT_WHOLE = objectOf({ ...MEMBERS, outcome: nullableSchema(OUTCOME) });

/** Imports that are listed. */
const LATEST = 20;

const MISSING = 'Import not found: files that are not applied are kept for a week';

const ONE = {
  params: { import_id: idInPath },
  find: {
    missing: MISSING,
    row: ({ context, params }: { context: ConsoleContext; params: { import_id: number } }) =>
      findImport(context.db, params.import_id),
  },
} as const;

const scope = 'imports:write';

const upload = memberRoute({
  ...{ method: 'POST', path: '/console/v1/imports', operationId: 'uploadImport' },
  summary: 'Keep a CSV file, to be looked at and imported',
  ...{ scope, query: FILE, body: fileBody },
  success: created(IMPORT_WHOLE, 'The import; nothing is read yet'),
  handle: async (request) => {
    await takeUploadTurn(request);
    const { query, body, requestId } = request;
    const { db, session } = request.context;
    const { resource, file_name: fileName } = query;
    const id = await storeFile(db, actorOfUser(session, requestId), { resource, fileName, content: body });
    return wholeImportView(await readAgain(db, id));
  },
});

const list = memberRoute({
  ...{ method: 'GET', path: '/console/v1/imports', operationId: 'listImports' },
  summary: 'The latest imports',
  scope,
  success: found(listOf(IMPORT), 'Imports, the latest first'),
  handle: async ({ context: { db } }) => (await listImports(db, LATEST)).map(importView),
});

const read = memberRoute({
  ...{ method: 'GET', path: '/console/v1/imports/{import_id}', operationId: 'getImport' },
  summary: 'An import: what it would change or has changed, or how far it is',
  ...{ scope, ...ONE },
  success: found(IMPORT_WHOLE, 'The import'),
  handle: async ({ row }) => wholeImportView(row),
});

const PROBLEMS = {
  conflict: 'Somebody works on it, it is applied, or the data has changed since it was looked at',
  unavailable: TOO_MANY_IMPORTS,
};

const check = memberRoute({
  ...{ method: 'POST', path: '/console/v1/imports/{import_id}/check', operationId: 'checkImport' },
  summary: 'Find what an import would change',
  description: 'It goes on if the caller hangs up; `GET` tells how far it is.',
  ...{ scope, ...ONE, problems: PROBLEMS },
  success: found(IMPORT_WHOLE, 'The import with what it would change, or its faults'),
  handle: (request) => workedOn(request, checkImport),
});

const apply = memberRoute({
  ...{ method: 'POST', path: '/console/v1/imports/{import_id}/apply', operationId: 'applyImport' },
  summary: 'Import a file if it changes exactly what was shown',
  description: 'It goes on if the caller hangs up; `GET` tells how far it is.',
  ...{ scope, ...ONE, problems: PROBLEMS },
  success: found(IMPORT_WHOLE, 'The import with what it has changed'),
  handle: (request) => workedOn(request, applyImport),
});

const discard = memberRoute({
  ...{ method: 'DELETE', path: '/console/v1/imports/{import_id}', operationId: 'discardImport' },
  summary: 'Forget a file that is not applied',
  ...{ scope, ...ONE, problems: PROBLEMS },
  success: noContent('It is forgotten'),
  handle: async ({ context: { db, session }, row, requestId }) => {
    requireIdle(row);
    if (!(await discardImport(db, actorOfUser(session, requestId), row.id))) {
      throw notFound(MISSING);
    }
  },
});

type Work = (db: ConsoleContext['db'], kept: KeptImport, run: RunImport) => Promise<void>;

async function workedOn(request: ImportRequest & { row: KeptImport }, work: Work) {
  const { context, row } = request;
  requireIdle(row);
  await work(context.db, row, runKept(request, row.resource));
  return wholeImportView(await readAgain(context.db, row.id));
}

/** @throws AppError `conflict` if it is being worked on, or done with. */
function requireIdle({ work, state }: KeptImport): void {
  if (work !== null) {
    throw new AppError('conflict', 'Somebody is working on this file; wait until that has ended');
  }
  if (state === 'applied') {
    throw new AppError('conflict', 'This file is imported already');
  }
}

function readAgain(db: ConsoleContext['db'], id: number): Promise<KeptImport> {
  return orNotFound(MISSING, findImport(db, id));
}

export const importRoutes = [upload, list, read, check, apply, discard];

interface ImportRequest {
  context: ConsoleContext;
  requestId: string;
  charge(tokens: number): Promise<void>;
  confirm(): Promise<void>;
}

/** Imports as `POST /assets/bulk` does, in turn; continues if the caller hangs up. */
function runKept({ context, requestId, charge, confirm }: ImportRequest, resource: Keyed): RunImport {
  const actor = actorOfUser(context.session, requestId);
  return (source, options) =>
    expensiveTurns.request(() =>
      context.imports.run(
        context.db.orgId,
        async () => {
          await confirm();
          return runImport(context, actor, { ...options, resource, source, charge });
        },
        NEVER,
      ),
    );
}

const NEVER = new AbortController().signal;

function importView(kept: KeptImport) {
  return {
    ...{ id: kept.id, resource: kept.resource, file_name: kept.file_name, bytes: kept.bytes },
    state: kept.work ?? kept.state,
    done_rows: kept.done_rows ?? 0,
    rows: kept.rows,
    created_at: wireTime(kept.created_at),
    checked_at: wireTimeOrNull(kept.checked_at),
    applied_at: wireTimeOrNull(kept.applied_at),
  };
}

/** While it is processed, earlier results are out of date. */
function wholeImportView(kept: KeptImport) {
  const isShown = kept.outcome !== null && kept.work === null;
  return { ...importView(kept), outcome: isShown ? new JsonText(kept.outcome ?? 'null') : null };
}
