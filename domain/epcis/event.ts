import { createHash } from 'node:crypto';
import { parseTimestamp, toMicros, wireTimeOfMicros } from '../../base/timestamps.ts';
import { namedByBarcode } from '../identity/barcode-key.ts';
import { identifiersOf, type Named } from '../identity/named.ts';
import type { MoveEvent } from '../moves/event.ts';

/** An event of EPCIS 2.0, in JSON-LD: an asset was seen at a location where it had not been before. */
export interface ObjectEvent {
  type: 'ObjectEvent';
  eventID: string;
  eventTime: string;
  eventTimeZoneOffset: string;
  recordTime: string;
  epcList: string[];
  action: 'OBSERVE';
  bizStep?: string;
  disposition?: string;
  readPoint: { id: string };
  bizLocation: { id: string };
  /** The event is no longer held to be true. */
  errorDeclaration?: { declarationTime: string; reason: string; correctiveEventIDs?: string[] };
}

/** The beginning of a stay. */
export interface Arrival {
  assetId: number;
  locationId: number;
  /** Microseconds since 1970. */
  at: number;
}

const CONTEXT = 'https://ref.gs1.org/standards/epcis/2.0.0/epcis-context.jsonld';

export function collectionOf(member: readonly string[]): object {
  return { '@context': CONTEXT, type: 'Collection', member: [...new Set(member)] };
}

/** What a query found. */
export function documentOf(
  eventList: readonly ObjectEvent[],
  {
    queryName = 'SimpleEventQuery',
    subscriptionID,
  }: { queryName?: string | undefined; subscriptionID?: string } = {},
): object {
  return {
    '@context': [CONTEXT],
    type: 'EPCISQueryDocument',
    schemaVersion: '2.0',
    creationDate: new Date().toISOString(),
    epcisBody: {
      queryResults: {
        queryName,
        ...(subscriptionID === undefined ? {} : { subscriptionID }),
        resultsBody: { eventList },
      },
    },
  };
}

/** An event of EPCIS as a move has it, before anything has a name. */
export interface Told extends Arrival {
  position: number;
  /** Its place among those of the move. */
  index: number;
  recordTime: string;
  /** Of an error declaration: what happened instead. Undefined of an event that is true. */
  instead?: Arrival | null;
}

/** What a move tells: first what no longer holds, then what does, each in order of time. */
export function toldBy({ time: recordTime, data }: MoveEvent): Told[] {
  const { position, asset } = data;
  const arrivalOf = (row: string, locationId: number): Arrival => ({
    assetId: asset.id,
    locationId,
    at: Number(row),
  });
  const elsewhere = data.changed.filter(({ was, location_id: now }) => was.location_id !== now);
  const held = [...data.added, ...elsewhere]
    .map((row) => arrivalOf(row.row, row.location_id))
    .sort((one, other) => one.at - other.at);
  const gone = [
    ...data.removed.map((row) => arrivalOf(row.row, row.location_id)),
    ...elsewhere.map((row) => arrivalOf(row.row, row.was.location_id)),
  ].sort((one, other) => one.at - other.at);
  return [...gone.map((arrival) => ({ ...arrival, instead: latestOf(held, arrival.at) })), ...held].map(
    (arrival, index) => ({ ...arrival, position, index, recordTime }),
  );
}

/** The last arrival up to an instant, else the first one after it. */
function latestOf(held: readonly Arrival[], at: number): Arrival | null {
  return held.findLast((arrival) => arrival.at <= at) ?? held[0] ?? null;
}

/** The names of asset and location in an event. */
export interface Names {
  epc: string;
  place: string;
  bizStep: string | null;
  disposition: string | null;
}

export function eventOf(told: Told, namesOf: (arrival: Arrival) => Names): ObjectEvent {
  const event = observed(told, namesOf(told), told.recordTime);
  const { instead } = told;
  if (instead === undefined) {
    return event;
  }
  const corrective = instead === null ? null : observed(instead, namesOf(instead), told.recordTime);
  return {
    ...event,
    errorDeclaration: {
      declarationTime: told.recordTime,
      ...(corrective === null
        ? { reason: 'did_not_occur' }
        : { reason: 'incorrect_data', correctiveEventIDs: [corrective.eventID] }),
    },
  };
}

function observed({ at }: Arrival, names: Names, recordTime: string): ObjectEvent {
  const content = {
    type: 'ObjectEvent' as const,
    eventTime: wireTimeOfMicros(at),
    eventTimeZoneOffset: '+00:00',
    epcList: [names.epc],
    action: 'OBSERVE' as const,
    ...(names.bizStep === null ? {} : { bizStep: names.bizStep }),
    ...(names.disposition === null ? {} : { disposition: names.disposition }),
    readPoint: { id: names.place },
    bizLocation: { id: names.place },
  };
  const { type, ...rest } = content;
  return { type, eventID: eventIdOf(content), ...rest, recordTime };
}

type Hashed = Pick<
  ObjectEvent,
  'type' | 'eventTime' | 'eventTimeZoneOffset' | 'epcList' | 'action' | 'bizStep' | 'disposition'
> & { readPoint?: { id: string }; bizLocation?: { id: string } };

/**
 * The event hash of CBV 2.0, section 8.9, of the fields that our events have: the same whoever computes it, from whichever
 * notation, so that an event that is asked for twice has one id.
 */
export function eventIdOf(event: Hashed): string {
  const { bizStep, disposition, readPoint, bizLocation } = event;
  const text = [
    `eventType=${event.type}`,
    `eventTime=${millisecondOf(event.eventTime)}`,
    `eventTimeZoneOffset=${event.eventTimeZoneOffset}`,
    ...(event.epcList.length === 0 ? [] : ['epcList']),
    ...event.epcList.map((epc) => `epc=${canonicalUri(epc)}`).sort(),
    `action=${event.action}`,
    ...(bizStep === undefined ? [] : [`bizStep=${termUri('BizStep', bizStep)}`]),
    ...(disposition === undefined ? [] : [`disposition=${termUri('Disp', disposition)}`]),
    ...(readPoint === undefined ? [] : [`readPointid=${canonicalUri(readPoint.id)}`]),
    ...(bizLocation === undefined ? [] : [`bizLocationid=${canonicalUri(bizLocation.id)}`]),
  ].join('');
  return `ni:///sha-256;${createHash('sha256').update(text).digest('hex')}?ver=CBV2.0`;
}

/** In UTC, rounded to milliseconds. */
function millisecondOf(time: string): string {
  const instant = parseTimestamp(time);
  return instant === null ? time : wireTimeOfMicros(Math.round(toMicros(instant) / 1_000) * 1_000);
}

function termUri(vocabulary: 'BizStep' | 'Disp', term: string): string {
  return /^[a-z_]+$/.test(term) ? `https://ref.gs1.org/cbv/${vocabulary}-${term}` : term;
}

/** A term of CBV as a bare word, whichever notation it is in; others as they are. */
export function bareTerm(term: string): string {
  return BARE.exec(term)?.[1] ?? term;
}

const BARE =
  /^(?:urn:epcglobal:cbv:(?:bizstep|disp|er):|(?:https:\/\/ref\.gs1\.org\/cbv\/|cbv:)(?:BizStep|Disp|ER)-)([a-z_]+)$/;

/** What a URI names, as a canonical GS1 Digital Link if it has a GS1 key, else as it is. */
export function canonicalUri(uri: string): string {
  const named = namedByBarcode(uri);
  return (named === null ? null : uriOf(named)) ?? uri;
}

/** The Digital Link, else the URI of an EPC without a GS1 key. */
export function uriOf(named: Named): string | null {
  const { digital_link: link, epc_uri: uri } = identifiersOf(named);
  // These are reserved in Digital Links, too.
  return link?.replace(/[!()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`) ?? uri;
}

/** Whether a GS1 key is of one thing, not of a class of things; EPCs without one always are. */
export function isOfOneThing({ elements }: Named): boolean {
  const [ai = '', key = ''] = elements?.entries().next().value ?? [];
  const needed = WITH_SERIAL[ai];
  return (
    needed === undefined ||
    (typeof needed === 'number' ? key.length > needed : elements?.has(needed) === true)
  );
}

/** The identifier of the serial number, or the length of the key without one. */
const WITH_SERIAL: Readonly<Record<string, string | number>> = {
  '01': '21',
  '253': 13,
  '255': 13,
  '8003': 14,
  '8006': '21',
  '8010': '8011',
};
