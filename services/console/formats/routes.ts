import { text } from '../../../base/checks/fields.ts';
import { invalid, invalidValue, required } from '../../../base/checks/issues.ts';
import { notFound, orNotFound } from '../../../base/errors.ts';
import { findVisible, listFormats } from '../../../domain/administration/formats/list-formats.ts';
import { deleteFormat, storeFormat } from '../../../domain/administration/formats/store-format.ts';
import type { describeSources } from '../../../domain/formats/describe-sources.ts';
import type { DryRun, DryScan } from '../../../domain/formats/dry-run.ts';
import type { CheckedFormat, checkSource } from '../../../domain/formats/read-source.ts';
import type { Tried, Trying } from '../../../domain/formats/try-formats.ts';
import { mandatoryParameter } from '../../../platform/http/parameters.ts';
import { found, noContent } from '../../../platform/http/success.ts';
import { administered, changingReaders } from '../readers/own-reader.ts';
import { type ConsoleContext, memberRoute } from '../serving/context.ts';
import { actorOfUser } from '../serving/person.ts';
import { listOf } from '../serving/schemas.ts';
import { FORMAT, FORMAT_WHOLE, formatPatchBody, newFormatBody, STORED, TRIED, tryBody } from './schema.ts';

const TRY = new URL('../../../domain/formats/try-formats.ts', import.meta.url).href;

const READ = new URL('../../../domain/formats/read-source.ts', import.meta.url).href;
const DESCRIBE = new URL('../../../domain/formats/describe-sources.ts', import.meta.url).href;

/** Milliseconds that a format may take to be checked, or to be tried on a message. */
const MOST_MS = 10_000;

const ONE = {
  params: { name: mandatoryParameter(text(63)) },
  find: {
    missing: 'Format not found',
    row: ({ context, params: { name } }: { context: ConsoleContext; params: { name: string } }) =>
      administered(context, (db) => findVisible(db, context.parts.builtinFormats, context.db.orgId, name)),
  },
} as const;

const list = memberRoute({
  ...{ method: 'GET', path: '/console/v1/formats', operationId: 'listFormats' },
  summary: 'The formats readers can have: built-in ones, those of the installation, and your own',
  scope: 'readers:read',
  success: found(listOf(FORMAT), 'The formats, without their definitions'),
  handle: async ({ context }) => {
    const { orgId } = context.db;
    const describe = (argument: readonly string[]) =>
      context.inThread<ReturnType<typeof describeSources>>({
        ...{ module: DESCRIBE, name: 'describeSources', argument, most: MOST_MS },
      });
    const formats = await administered(context, (db) =>
      listFormats(db, context.parts.builtinFormats, { orgId, describe }),
    );
    return formats.map(({ name, isBuiltin, description, identities, readers, fault, orgId: owner }) => ({
      ...{ name, is_builtin: isBuiltin, is_own: owner === orgId },
      ...{ description, identities: [...identities], readers: readers ?? 0, fault },
    }));
  },
});

const read = memberRoute({
  ...{ method: 'GET', path: '/console/v1/formats/{name}', operationId: 'getFormat' },
  summary: 'A format with its definition, to look at or to copy',
  ...{ scope: 'readers:read', ...ONE },
  success: found(FORMAT_WHOLE, 'The format; its definition as text, as it is written'),
  handle: async ({ context, row: { name, definition, orgId } }) => ({
    ...{ name, is_own: orgId === context.db.orgId },
    source: JSON.stringify(definition, null, 2),
  }),
});

const create = memberRoute({
  ...{ method: 'POST', path: '/console/v1/formats', operationId: 'createFormat' },
  summary: 'Add a format of your own; no other organization sees it',
  scope: 'formats:admin',
  body: newFormatBody,
  success: found(STORED, 'The format'),
  problems: { conflict: 'The name is taken' },
  handle: async ({ context, body: { source }, requestId }) =>
    stored(context, requestId, await requireFormatSource(context, source), { isNew: true }),
});

const change = memberRoute({
  ...{ method: 'PATCH', path: '/console/v1/formats/{name}', operationId: 'updateFormat' },
  summary: 'Change a format of your own; its readers are read by it from then on',
  ...{ scope: 'formats:admin', ...ONE },
  body: formatPatchBody,
  success: found(STORED, 'The format'),
  problems: { conflict: 'It is not your own, or a reader needs an identity that it lacks' },
  handle: async ({ context, row: { name, orgId }, body, requestId }) => {
    requireOwn(orgId, context);
    const { source } = body.against({});
    if (source === undefined) {
      throw invalid([required('source')]);
    }
    const format = await requireFormatSource(context, source);
    if (format.name !== name) {
      throw invalid([
        invalidValue('source', `"name" must stay ${name}; add another format for another name`),
      ]);
    }
    return stored(context, requestId, format, { isNew: false });
  },
});

const remove = memberRoute({
  ...{ method: 'DELETE', path: '/console/v1/formats/{name}', operationId: 'deleteFormat' },
  summary: 'Delete a format of your own that no reader uses',
  ...{ scope: 'formats:admin', ...ONE },
  success: noContent('Deleted'),
  problems: { conflict: 'A reader uses it' },
  handle: async ({ context, row: { name, orgId }, requestId }) => {
    requireOwn(orgId, context);
    const actor = actorOfUser(context.session, requestId);
    await changingReaders(context, (db) => deleteFormat(db, actor, context.db.orgId, name));
  },
});

const tryOut = memberRoute({
  ...{ method: 'POST', path: '/console/v1/formats/try', operationId: 'tryFormatSource' },
  summary: 'What a format would make of a message, or what is wrong with it and where; nothing is stored',
  description: 'Of `source`, a definition that is being written, or of `format`, one by its name.',
  scope: 'formats:admin',
  body: tryBody,
  success: found(TRIED, 'The reads, or the faults of the format'),
  problems: { not_found: 'No such format' },
  handle: async ({ context, body: { source, format, topic, payload, is_base64: isBase64 } }) => {
    const argument: Trying = {
      source: source ?? (await sourceOf(context, format)),
      ...{ topic, payload: new Uint8Array(Buffer.from(payload, isBase64 === true ? 'base64' : 'utf8')) },
    };
    const tried = await context.inThread<Tried>({ module: TRY, name: 'trySource', argument, most: MOST_MS });
    const { faults, run } = tried;
    return { faults, run: run && runView(run) };
  },
});

function runView({ outcome, scans, ignored, rejected, near_misses: nearMisses = 0 }: DryRun) {
  return {
    ...{ outcome, rejected, near_misses: nearMisses },
    scans: scans.map(scanView),
    ignored: ignored.map(({ near_miss: nearMiss = null, ...each }) => ({ ...each, near_miss: nearMiss })),
  };
}

function scanView(scan: DryScan) {
  const { rssi_unusable: rssi = null, time_unreadable: time = null, clock_unset: unset = null } = scan;
  const { readings = null, readings_unusable: refused = null } = scan;
  return {
    ...{ ...scan, rssi_unusable: rssi, time_unreadable: time, clock_unset: unset },
    ...{ readings, readings_unusable: refused },
  };
}

async function sourceOf(context: ConsoleContext, name: string | undefined): Promise<string> {
  if (name === undefined) {
    throw invalid([required('source')]);
  }
  const visible = await orNotFound('Format not found', ONE.find.row({ context, params: { name } }));
  return JSON.stringify(visible.definition);
}

async function stored(
  context: ConsoleContext,
  requestId: string,
  format: CheckedFormat,
  { isNew }: { isNew: boolean },
) {
  const { orgId } = context.db;
  const actor = actorOfUser(context.session, requestId);
  const { readers } = await changingReaders(context, (db) =>
    storeFormat(db, actor, context.parts.builtinFormats, format, { owner: orgId, isNew }),
  );
  return { name: format.name, readers };
}

function requireOwn(owner: number | null, { db: { orgId } }: ConsoleContext): void {
  if (owner !== orgId) {
    throw notFound('Format not found among your own; a built-in one can be copied under another name');
  }
}

/** @throws Invalid of the field `source`, naming every fault with its place. */
async function requireFormatSource(context: ConsoleContext, source: string): Promise<CheckedFormat> {
  const read = await context.inThread<ReturnType<typeof checkSource>>({
    ...{ module: READ, name: 'checkSource', argument: source, most: MOST_MS },
  });
  if (!Array.isArray(read)) {
    return read;
  }
  throw invalid(
    read.map(({ pointer, message, line }) => {
      const where = line === null ? '' : `line ${line}: `;
      return invalidValue('source', `${where}${pointer === '' ? '' : `${pointer} `}${message}`);
    }),
  );
}

export const formatRoutes = [list, read, create, change, remove, tryOut];
