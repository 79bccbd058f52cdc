import { isUtf8 } from 'node:buffer';
import { ID_SCHEMA, TIME_SCHEMA } from '../../../base/checks/fields.ts';
import { nullableSchema } from '../../../base/checks/members.ts';
import { wireTime } from '../../../base/timestamps.ts';
import { loadFormats } from '../../../domain/administration/formats/load-formats.ts';
import { countOpenOfReader, lastOfReader } from '../../../domain/administration/rejected/kept-message.ts';
import type { Recognized, Recognizing } from '../../../domain/formats/recognize.ts';
import { idInPath } from '../../../platform/http/parameters.ts';
import { found } from '../../../platform/http/success.ts';
import { administered, OWN_READER } from '../readers/own-reader.ts';
import { memberRoute } from '../serving/context.ts';
import {
  COUNT_SCHEMA,
  FLAG_SCHEMA,
  listOf,
  objectOf,
  TAG_TYPE_SCHEMA,
  TEXT_OR_NULL,
  TEXT_SCHEMA,
} from '../serving/schemas.ts';

/** The most messages to show and try, and bytes of each. Longer ones are shown in part, and not tried. */
const MOST = 5;
const BYTES = 16_384;

/** Milliseconds that trying all formats may take. */
const MOST_MS = 20_000;

const RECOGNIZE = new URL('../../../domain/formats/recognize.ts', import.meta.url).href;

const ARRIVALS = objectOf({
  open: COUNT_SCHEMA,
  messages: listOf(
    objectOf({
      id: ID_SCHEMA,
      ...{ received_at: TIME_SCHEMA, topic: TEXT_SCHEMA, reason: TEXT_SCHEMA, size: COUNT_SCHEMA },
      ...{ is_text: FLAG_SCHEMA, payload: TEXT_SCHEMA },
    }),
  ),
  formats: listOf(
    objectOf({
      ...{ format: TEXT_SCHEMA, reads: COUNT_SCHEMA, ignored: COUNT_SCHEMA, rejected: COUNT_SCHEMA },
      ...{ messages_rejected: COUNT_SCHEMA, reason: TEXT_OR_NULL },
      antennas: listOf({ type: ['integer', 'string'] }),
      example: nullableSchema(
        objectOf({
          ...{ tag_type: TAG_TYPE_SCHEMA, value: TEXT_SCHEMA, antenna: { type: ['integer', 'string'] } },
          rssi: nullableSchema({ type: 'number' }),
        }),
      ),
    }),
  ),
});

const arrivals = memberRoute({
  ...{ method: 'GET', path: '/console/v1/readers/{reader_id}/arrivals', operationId: 'listArrivalsOfReader' },
  summary: 'The last messages of a reader that could not be read, and what each format would read of them',
  description: 'The likeliest format first. `open`: how many are kept to be replayed.',
  ...{ scope: 'readers:admin', params: { reader_id: idInPath }, find: OWN_READER },
  success: found(ARRIVALS, 'The messages, newest first; a payload that is no text is in base64'),
  handle: async ({ context, row: readerId }) => {
    const which = { orgId: context.db.orgId, readerId };
    const { open, kept, formats } = await administered(context, async (db) => ({
      open: await countOpenOfReader(db, which),
      kept: await lastOfReader(db, which, { limit: MOST, bytes: BYTES }),
      formats: await loadFormats(db, context.parts.builtinFormats, which.orgId),
    }));
    const whole = kept.filter(({ bytes }) => bytes <= BYTES);
    const argument: Recognizing = {
      formats: formats.names.map((name) => [name, formats.sourceOf(name) ?? ''] as const),
      messages: whole.map(({ topic, payload }) => ({ topic, payload: new Uint8Array(payload) })),
    };
    return {
      open,
      messages: kept.map(({ id, receivedAt, topic, reason, bytes, payload }) => {
        const isText = isUtf8(payload);
        return {
          ...{ id, received_at: wireTime(receivedAt), topic, reason, size: bytes, is_text: isText },
          payload: payload.toString(isText ? 'utf8' : 'base64'),
        };
      }),
      formats:
        whole.length === 0
          ? []
          : await context.inThread<Recognized[]>({
              module: RECOGNIZE,
              name: 'recognize',
              argument,
              most: MOST_MS,
            }),
    };
  },
});

export const arrivalRoutes = [arrivals];
