import { conflict } from '../../../base/errors.ts';
import type { KeptMessage, KeptPayload } from '../../../domain/administration/rejected/kept-message.ts';
import type {
  TryingFormat,
  TryingFormats,
  tryFormat,
  tryFormats,
} from '../../../domain/formats/try-formats.ts';
import { type Parameter, searchText } from '../../../platform/http/parameters.ts';
import { NO_QUERY } from '../../../platform/http/query.ts';
import { found } from '../../../platform/http/success.ts';
import { memberRoute } from '../serving/context.ts';
import { ONE_REJECTED, REJECTED_FIND } from './one-rejected.ts';
import { loadFormatsOf, loadPoliciesOf } from './registered.ts';
import { noSuchFormat } from './replaying.ts';
import { MOST_READS, TRIED_FORMAT, TRIED_FORMATS } from './schema.ts';

const TRY = new URL('../../../domain/formats/try-formats.ts', import.meta.url).href;

/** Milliseconds that trying all formats may take. */
const MOST_MS = 20_000;

const PROBLEMS = { conflict: 'Not all of the message was kept' };

const tryAll = memberRoute({
  ...{ method: 'GET', path: '/console/v1/rejected/{rejected_id}/formats', operationId: 'tryFormats' },
  summary: 'What each format would make of a message, the one that reads most of it first',
  ...{ scope: 'inbox:read', query: NO_QUERY, ...ONE_REJECTED },
  success: found(TRIED_FORMATS, 'Every format; nothing is recorded'),
  problems: PROBLEMS,
  handle: async ({ context, row }) => {
    const message = wholeOf(row);
    const formats = await loadFormatsOf(context);
    const policies = await loadPoliciesOf(context, row);
    const argument: TryingFormats = {
      ...{ message, policies },
      sources: formats.names.flatMap((name) => formats.sourceOf(name) ?? []),
    };
    return context.inThread<ReturnType<typeof tryFormats>>({
      module: TRY,
      name: 'tryFormats',
      argument,
      most: MOST_MS,
    });
  },
});

const tryOne = memberRoute({
  ...{ method: 'GET', path: '/console/v1/rejected/{rejected_id}/formats/{format}', operationId: 'tryFormat' },
  summary: 'What a format would make of a message',
  ...{ scope: 'inbox:read', query: NO_QUERY },
  params: { ...ONE_REJECTED.params, format: searchText as Parameter<string> },
  find: REJECTED_FIND,
  success: found(TRIED_FORMAT, `Its first ${MOST_READS} reads; nothing is recorded`),
  problems: PROBLEMS,
  handle: async ({ context, row, params }) => {
    const message = wholeOf(row);
    const formats = await loadFormatsOf(context);
    const policies = await loadPoliciesOf(context, row);
    const argument: TryingFormat = {
      ...{ message, policies, most: MOST_READS },
      source: formats.sourceOf(params.format) ?? noSuchFormat(formats),
    };
    return triedView(
      await context.inThread<ReturnType<typeof tryFormat>>({
        module: TRY,
        name: 'tryFormat',
        argument,
        most: MOST_MS,
      }),
    );
  },
});

function wholeOf({ topic, payload, bytes }: KeptMessage & KeptPayload) {
  if (payload.length < bytes) {
    throw conflict(`Of its ${bytes} bytes only the first ${payload.length} were kept`);
  }
  return { topic, payload: new Uint8Array(payload) };
}

function triedView({ reads, ...brief }: ReturnType<typeof tryFormat>) {
  return {
    ...brief,
    reads: reads.map(({ tag_type, value, antenna, rssi, observed_at }) => ({
      ...{ tag_type, value, antenna_port: antenna, rssi, observed_at },
    })),
  };
}

export const tryingRoutes = [tryAll, tryOne];
