import { notFound } from '../../../base/errors.ts';
import { wireTime, wireTimeOrNull } from '../../../base/timestamps.ts';
import { createReader } from '../../../domain/administration/readers/create-reader.ts';
import { deleteReader } from '../../../domain/administration/readers/delete-reader.ts';
import { pageOfReaders, type ReaderNow } from '../../../domain/administration/readers/page-of-readers.ts';
import { type AntennaSettings, setAntenna } from '../../../domain/administration/readers/set-antenna.ts';
import { setReader } from '../../../domain/administration/readers/set-reader.ts';
import { pushPath } from '../../../domain/administration/readers/topic.ts';
import { asAntenna } from '../../../domain/formats/mapping/acceptance.ts';
import { type ReaderRefusal, refusalsOfReader } from '../../../domain/health/sign-ins.ts';
import { readSpans } from '../../../domain/presence/read-spans.ts';
import { listBody } from '../../../platform/http/lists.ts';
import { idInPath, integer, type Parameter } from '../../../platform/http/parameters.ts';
import { found, listed, noContent } from '../../../platform/http/success.ts';
import { type ConsoleContext, memberRoute } from '../serving/context.ts';
import { actorOfUser } from '../serving/person.ts';
import { administered, changingReaders, OWN_READER, subscribedTo } from './own-reader.ts';
import {
  antennaPatchBody,
  CHANGED_READER,
  CREATED_READER,
  newAntennaBody,
  newReaderBody,
  ONE_READER,
  READER,
  READERS,
  readerPatchBody,
  SET_ANTENNA,
  SPANS,
  SPANS_QUERY,
} from './schema.ts';

const ONE = { params: { reader_id: idInPath }, find: OWN_READER } as const;

const list = memberRoute({
  ...{ method: 'GET', path: '/console/v1/readers', operationId: 'listReaders' },
  summary: 'The readers, their antennas, and what became of their reads',
  ...{ scope: 'readers:read', query: READERS },
  success: listed(READER, 'A page of readers, without their passwords'),
  handle: async ({ context, query: { limit, offset, ...filter } }) => {
    const page = await administered(context, (db) =>
      pageOfReaders(db, context.db.orgId, filter, { limit, offset }),
    );
    return listBody(page, { limit, offset }, readerView);
  },
});

const read = memberRoute({
  ...{ method: 'GET', path: '/console/v1/readers/{reader_id}', operationId: 'getReader' },
  summary: 'A reader with its antennas and counters, and what goes wrong as it signs in',
  ...{ scope: 'readers:read', ...ONE },
  success: found(ONE_READER, 'The reader, without its password'),
  handle: async ({ context, row: id }) =>
    administered(context, async (db) => {
      const { orgId } = context.db;
      const { rows } = await pageOfReaders(db, orgId, { id, sort: [] }, { limit: 1, offset: 0 });
      const reader = orMissing(rows[0]);
      const faults = await refusalsOfReader(db, { orgId, mqttUsername: reader.mqttUsername });
      return {
        ...readerView(reader),
        ...addressesOf(context, id),
        sign_in_faults: faults.map(signInFaultView),
      };
    }),
});

function orMissing(reader: ReaderNow | undefined): ReaderNow {
  if (reader === undefined) {
    throw notFound(OWN_READER.missing);
  }
  return reader;
}

const spans = memberRoute({
  ...{ method: 'GET', path: '/console/v1/readers/{reader_id}/spans', operationId: 'listSpansOfReader' },
  summary: 'When a reader was heard, and when it was disconnected, in the last days',
  description: 'For a picture: what lies closer together than a 400th of the time is one span.',
  ...{ scope: 'readers:read', query: SPANS_QUERY, ...ONE },
  success: found(SPANS, 'Spans in the order of their beginning'),
  handle: async ({ context, row: readerId, query: { days } }) =>
    spansView(
      await administered(context, (db) => readSpans(db, { orgId: context.db.orgId, readerId }, days)),
    ),
});

const create = memberRoute({
  ...{ method: 'POST', path: '/console/v1/readers', operationId: 'createReader' },
  summary: 'Register a reader with its antenna 1',
  scope: 'readers:admin',
  body: newReaderBody,
  success: found(CREATED_READER, 'The reader, with its password, shown this once'),
  problems: {
    conflict: 'The name or the topic is taken, or the maximum of readers or antennas is reached',
  },
  handle: async ({ context, body, requestId }) => {
    const actor = actorOfUser(context.session, requestId);
    const { expect_seconds: expectSeconds = null, ...given } = body;
    const reader = { ...given, expectSeconds, orgId: context.db.orgId, policies: {} };
    const { mqttUsername, mqttPassword, ...created } = await changingReaders(context, (db) =>
      createReader(db, actor, context.parts.builtinFormats, reader),
    );
    return {
      ...created,
      mqtt_username: mqttUsername,
      mqtt_password: mqttPassword,
      ...addressesOf(context, created.id),
      subscribed: await subscribedTo(context, body.topic, { isNew: true }),
    };
  },
});

/** A service that listens on all addresses is on the console's machine, whose name also works from elsewhere. */
function addressesOf({ parts, sender }: ConsoleContext, readerId: number) {
  const { readersUrls, publicUrl } = parts;
  const console = publicUrl ?? sender.origin;
  const reachable = (url: string | null) =>
    url === null || console === null
      ? url
      : url.replace(/(?<=:\/\/)(0\.0\.0\.0|\[::\])(?=[:/]|$)/, new URL(console).hostname);
  const push = reachable(readersUrls.push);
  return {
    mqtt_url: reachable(readersUrls.mqtt),
    push_url: push === null ? null : `${push}${pushPath(readerId)}`,
  };
}

const change = memberRoute({
  ...{ method: 'PATCH', path: '/console/v1/readers/{reader_id}', operationId: 'updateReader' },
  summary: 'Change a reader, or make it another password',
  ...{ scope: 'readers:admin', ...ONE },
  body: readerPatchBody,
  success: found(CHANGED_READER, 'The reader, with a password if one was made'),
  problems: { conflict: 'The name or the topic is taken, or its expected time was set too often' },
  handle: async ({ context, row: id, body, requestId }) => {
    const {
      name,
      topic,
      format,
      new_password: hasNewPassword,
      expect_seconds: expectSeconds,
    } = body.against({});
    const wanted = {
      ...(name === undefined ? {} : { name }),
      ...(topic === undefined ? {} : { topic }),
      ...(format === undefined ? {} : { format }),
      ...(expectSeconds === undefined ? {} : { expectSeconds }),
      ...(hasNewPassword === undefined ? {} : { hasNewPassword }),
    };
    const set = await changingReaders(context, (db) =>
      setReader(db, actorOfUser(context.session, requestId), context.parts.builtinFormats, id, wanted),
    );
    return {
      ...{ id, mqtt_password: set.mqttPassword, ...addressesOf(context, id) },
      subscribed: await subscribedTo(context, set.topic, { isNew: set.isElsewhere }),
    };
  },
});

const remove = memberRoute({
  ...{ method: 'DELETE', path: '/console/v1/readers/{reader_id}', operationId: 'deleteReader' },
  summary: 'Delete a reader; its past reads stay',
  ...{ scope: 'readers:admin', ...ONE },
  success: noContent('Its messages are ignored from now on'),
  handle: async ({ context, row: id, requestId }) => {
    await changingReaders(context, (db) => deleteReader(db, actorOfUser(context.session, requestId), id));
  },
});

const antenna = memberRoute({
  ...{ method: 'PATCH', path: '/console/v1/readers/{reader_id}/antennas/{port}', operationId: 'setAntenna' },
  summary: 'Say where an antenna is and how its reads count; a new one is added',
  scope: 'readers:admin',
  params: {
    reader_id: idInPath,
    port: integer({ min: -32_768, max: 32_767 }, undefined) as Parameter<number>,
  },
  find: OWN_READER,
  body: antennaPatchBody,
  success: found(SET_ANTENNA, 'The antenna'),
  problems: {
    not_found: 'No such reader, or location',
    conflict: 'The maximum of antennas is reached',
  },
  handle: async ({ context, row: readerId, params: { port }, body, requestId }) => {
    const given = body.against({});
    const { name, location_external_key: key, min_rssi: minRssi, enabled: isEnabled } = given;
    const { offset_db: offsetDb, height_m: heightM } = given;
    const set = await changingReaders(context, (db) =>
      setAntenna(db, actorOfUser(context.session, requestId), {
        ...{ readerId, port, name },
        ...(key === undefined ? {} : { locationExternalKey: key }),
        ...(minRssi === undefined ? {} : { minRssi }),
        ...(isEnabled === undefined ? {} : { isEnabled }),
        ...(offsetDb === undefined ? {} : { offsetDb }),
        ...(heightM === undefined ? {} : { heightM }),
      }),
    );
    return antennaView(set);
  },
});

const newAntenna = memberRoute({
  ...{ method: 'POST', path: '/console/v1/readers/{reader_id}/antennas', operationId: 'addAntenna' },
  summary: 'Register an antenna by the port or the name that messages give, and say where it is',
  ...{ scope: 'readers:admin', ...ONE },
  body: newAntennaBody,
  success: found(SET_ANTENNA, 'The antenna'),
  problems: { conflict: 'The maximum of antennas is reached' },
  handle: async ({
    context,
    row: readerId,
    body: { antenna: given, location_external_key: key },
    requestId,
  }) => {
    const said = asAntenna(given);
    const which = typeof said === 'number' ? { port: said } : { name: given };
    const set = await changingReaders(context, (db) =>
      setAntenna(db, actorOfUser(context.session, requestId), {
        ...{ readerId, ...which },
        ...(key == null ? {} : { locationExternalKey: key }),
      }),
    );
    return antennaView(set);
  },
});

function antennaView(set: AntennaSettings) {
  return {
    ...{ port: set.number, name: set.name, device_port: set.devicePort },
    ...{ location_external_key: set.locationExternalKey, min_rssi: set.minRssi, enabled: set.isEnabled },
    ...{ offset_db: set.offsetDb, height_m: set.heightM },
  };
}

export const readerRoutes = [list, read, spans, create, change, remove, antenna, newAntenna];

function readerView(reader: ReaderNow) {
  const { id, name, topic, format, state, antennas, counters, clock, flaws, stretch } = reader;
  return {
    ...{ id, name, topic, format, state, antennas, counters, clock, flaws },
    mqtt_username: reader.mqttUsername,
    unplaced_antennas: reader.unplaced,
    expect_seconds: reader.expectSeconds,
    unheard_since: wireTimeOrNull(reader.unheardSince),
    expected_seconds: reader.expectedSeconds,
    created_at: wireTime(reader.createdAt),
    last_message_at: wireTimeOrNull(reader.lastMessageAt),
    last_used_at: wireTimeOrNull(reader.lastUsedAt),
    connected_at: wireTimeOrNull(reader.connectedAt),
    stretch: stretch && {
      since: wireTime(stretch.since),
      until: wireTime(stretch.until),
      messages: stretch.messages,
    },
  };
}

const FAULTS = {
  reader: 'wrong_credentials',
  reader_mqtt_5: 'mqtt_5',
  reader_taken_over: 'shared_login',
} as const;

function signInFaultView({ kind, hour, day, last_at: at }: ReaderRefusal) {
  return { fault: FAULTS[kind], in_hour: hour, in_day: day, last_at: wireTime(at) };
}

function spansView({ from, to, spans }: Awaited<ReturnType<typeof readSpans>>) {
  return {
    from: wireTime(from),
    to: wireTime(to),
    spans: spans.map((span) => ({
      ...{ state: span.state, from: wireTime(span.from), to: wireTimeOrNull(span.to) },
      ...{ learned_at: wireTimeOrNull(span.learnedAt), messages: span.messages },
    })),
  };
}
