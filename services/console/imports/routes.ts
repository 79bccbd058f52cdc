import { AppError, notFound } from '../../../base/errors.ts';
import {
  applyImport,
  checkImport,
  type RunImport,
} from '../../../domain/master-data/kept-imports/check-and-apply.ts';
import { discardImport } from '../../../domain/master-data/kept-imports/discard-import.ts';
import {
  findImport,
  type KeptImport,
  listImports,
} from '../../../domain/master-data/kept-imports/find-import.ts';
import { storeFile } from '../../../domain/master-data/kept-imports/store-file.ts';
import { idInPath } from '../../../platform/http/parameters.ts';
import { NO_QUERY } from '../../../platform/http/query.ts';
import { created, found, noContent } from '../../../platform/http/success.ts';
import { TOO_MANY_IMPORTS } from '../../api/entry.ts';
import { type ConsoleContext, memberRoute } from '../serving/context.ts';
import { actorOfUser } from '../serving/person.ts';
import { listOf } from '../serving/schemas.ts';
import { takeUploadTurn } from '../serving/upload-turn.ts';
import { type ImportRequest, runKept } from './run-kept.ts';
import { FILE, fileBody, IMPORT, IMPORT_WHOLE } from './schema.ts';
import { importView, wholeImportView } from './view.ts';

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
  ...{ scope, query: FILE, params: {}, body: fileBody },
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
  ...{ scope, query: NO_QUERY, params: {} },
  success: found(listOf(IMPORT), 'Imports, the latest first'),
  handle: async ({ context: { db } }) => (await listImports(db, LATEST)).map(importView),
});

const read = memberRoute({
  ...{ method: 'GET', path: '/console/v1/imports/{import_id}', operationId: 'getImport' },
  summary: 'An import: what it would change or has changed, or how far it is',
  ...{ scope, query: NO_QUERY, ...ONE },
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
  ...{ scope, query: NO_QUERY, ...ONE, problems: PROBLEMS },
  success: found(IMPORT_WHOLE, 'The import with what it would change, or its faults'),
  handle: (request) => workedOn(request, checkImport),
});

const apply = memberRoute({
  ...{ method: 'POST', path: '/console/v1/imports/{import_id}/apply', operationId: 'applyImport' },
  summary: 'Import a file if it changes exactly what was shown',
  description: 'It goes on if the caller hangs up; `GET` tells how far it is.',
  ...{ scope, query: NO_QUERY, ...ONE, problems: PROBLEMS },
  success: found(IMPORT_WHOLE, 'The import with what it has changed'),
  handle: (request) => workedOn(request, applyImport),
});

const discard = memberRoute({
  ...{ method: 'DELETE', path: '/console/v1/imports/{import_id}', operationId: 'discardImport' },
  summary: 'Forget a file that is not applied',
  ...{ scope, query: NO_QUERY, ...ONE, problems: PROBLEMS },
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

async function readAgain(db: ConsoleContext['db'], id: number): Promise<KeptImport> {
  const kept = await findImport(db, id);
  if (kept === null) {
    throw notFound(MISSING);
  }
  return kept;
}

export const importRoutes = [upload, list, read, check, apply, discard];
