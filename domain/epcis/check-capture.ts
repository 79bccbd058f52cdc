import { createHash } from 'node:crypto';
import { AppError } from '../../base/errors.ts';
import { isArray, isJsonObject, type Json, type JsonObject, parseJson } from '../../base/json/exact-json.ts';
import { writeJson } from '../../base/json/json-text.ts';
import { parseTimestamp } from '../../base/timestamps.ts';
import { faultOfTagValue, LONGEST_ANTENNA } from '../formats/mapping/acceptance.ts';
import { MAX_ITEMS } from '../formats/mapping/values/limits.ts';
import { whyUnusable } from '../tracking/tag-key.ts';

/** Of a capture: as many as a message of a reader may have reads. */
const MOST_EPCS = MAX_ITEMS;

export interface CheckedEvent {
  /** Its own, or the hash. */
  id: string;
  hash: string;
  /** Why it cannot be captured, whatever is stored already. */
  fault: string | null;
  /** JSON of what is read of it. */
  text: string;
}

export type CheckedCapture = { events: CheckedEvent[] } | { refusal: string; isTooLarge: boolean };

interface Sent {
  bytes: Uint8Array;
  /** Whether it is a single event, without a document around it. */
  isEvent: boolean;
  mostEvents: number;
}

/**
 * Reads what a request would capture. Every event has a result of its own; only what is no document is refused whole.
 */
export function checkCapture({ bytes, isEvent, mostEvents }: Sent): CheckedCapture {
  try {
    const { json } = parseJson(bytes, 'Request body');
    const events = isEvent ? [json] : eventsOf(json);
    if (typeof events === 'string') {
      return { refusal: events, isTooLarge: false };
    }
    const epcs = events.reduce<number>((count, event) => count + epcsOf(event).length, 0);
    return events.length > mostEvents || epcs > MOST_EPCS
      ? {
          refusal: `A capture has at most ${mostEvents} events and ${MOST_EPCS} EPCs, not ${events.length} and ${epcs}; divide it`,
          isTooLarge: true,
        }
      : { events: events.map(checkEvent) };
  } catch (error) {
    if (error instanceof AppError) {
      return { refusal: error.message, isTooLarge: false };
    }
    throw error;
  }
}

/** @returns why there are none. */
function eventsOf(document: Json): readonly Json[] | string {
  const { type, epcisBody, ...head } = membersOf(document);
  if (type !== 'EPCISDocument' && type !== 'EPCISQueryDocument') {
    return 'type must be EPCISDocument';
  }
  const missing = ['@context', 'schemaVersion', 'creationDate'].find((name) => (head[name] ?? null) === null);
  if (missing !== undefined) {
    return `${missing} is required`;
  }
  const isAnswer = type === 'EPCISQueryDocument';
  const { eventList = null } = isAnswer
    ? membersOf(membersOf(membersOf(epcisBody)['queryResults'])['resultsBody'])
    : membersOf(epcisBody);
  return isArray(eventList)
    ? eventList
    : `epcisBody${isAnswer ? '.queryResults.resultsBody' : ''}.eventList must be an array of events`;
}

function membersOf(value: Json | undefined): JsonObject {
  return value !== undefined && isJsonObject(value) ? value : {};
}

function epcsOf(event: Json): readonly Json[] {
  const { epcList, childEPCs, parentID } = membersOf(event);
  return [epcList, childEPCs, parentID].flatMap((given) => given ?? []);
}

function checkEvent(event: Json): CheckedEvent {
  const object = membersOf(event);
  const hash = hashOf(object);
  const fault = isJsonObject(event) ? faultOf(object) : 'must be an object';
  const { eventID } = object;
  const isNamed = typeof eventID === 'string' && faultOfUri(eventID) === null;
  return { id: isNamed ? eventID : hash, hash, fault, text: fault === null ? needed(object) : '{}' };
}

/** The same whatever the order of members. Not of the id, nor of when it was recorded. */
function hashOf({ eventID: _, recordTime: __, ...content }: JsonObject): string {
  return `ni:///sha-256;${createHash('sha256')
    .update(writeJson(inOrder(content)))
    .digest('base64url')}`;
}

function inOrder(value: Json): Json {
  if (isArray(value)) {
    return value.map(inOrder);
  }
  return isJsonObject(value)
    ? Object.fromEntries(
        Object.keys(value)
          .sort()
          .map((name) => [name, inOrder(value[name] ?? null)]),
      )
    : value;
}

/** What the format reads. The rest, which may be anything, is not kept. */
function needed({
  type,
  eventTime,
  action,
  epcList,
  parentID,
  childEPCs,
  readPoint,
  bizLocation,
}: JsonObject): string {
  return JSON.stringify({
    type,
    eventTime,
    action,
    epcList,
    parentID,
    childEPCs,
    ...placeOf(readPoint, bizLocation),
  });
}

function placeOf(readPoint: Json | undefined, bizLocation: Json | undefined): object {
  const name = readPoint === undefined ? 'bizLocation' : 'readPoint';
  const { id } = membersOf(readPoint ?? bizLocation);
  return id === undefined ? {} : { [name]: { id } };
}

const CAPTURED = ['ObjectEvent', 'AggregationEvent'];
const OTHERS = ['TransactionEvent', 'TransformationEvent', 'AssociationEvent'];
const ACTIONS = ['ADD', 'OBSERVE', 'DELETE'];

function faultOf(event: JsonObject): string | null {
  const { type, errorDeclaration, eventTime, eventTimeZoneOffset, action, eventID } = event;
  if (typeof type !== 'string' || !CAPTURED.includes(type)) {
    return OTHERS.includes(String(type))
      ? `${type}s are not captured: only ObjectEvents and AggregationEvents say what was seen where`
      : `type must be one of: ${CAPTURED.join(', ')}`;
  }
  if (errorDeclaration !== undefined) {
    return 'error declarations are not captured: take scans back in tagtrail instead';
  }
  if (typeof eventTime !== 'string' || parseTimestamp(eventTime) === null) {
    return 'eventTime must be a time with its offset, such as 2026-06-04T16:50:22.281+02:00';
  }
  if (typeof eventTimeZoneOffset !== 'string' || !/^[+-](0\d|1[0-4]):[0-5]\d$/.test(eventTimeZoneOffset)) {
    return 'eventTimeZoneOffset must be an offset such as +02:00';
  }
  if (!ACTIONS.some((each) => each === action)) {
    return `action must be one of: ${ACTIONS.join(', ')}`;
  }
  if (eventID !== undefined && (typeof eventID !== 'string' || faultOfUri(eventID) !== null)) {
    return 'eventID must be a URI of at most 255 characters';
  }
  return (
    faultOfThings(event) ??
    faultOfPlace(event, event['readPoint'] === undefined ? 'bizLocation' : 'readPoint')
  );
}

function faultOfThings(event: JsonObject): string | null {
  const isObjectEvent = event['type'] === 'ObjectEvent';
  const [things, classes] = isObjectEvent ? ['epcList', 'quantityList'] : ['childEPCs', 'childQuantityList'];
  const { parentID, action, sensorElementList } = event;
  for (const name of [things, classes]) {
    if (event[name] !== undefined && !isArray(event[name])) {
      return `${name} must be an array`;
    }
  }
  if (isObjectEvent && (event[things] ?? event[classes] ?? sensorElementList) === undefined) {
    return `${things} or ${classes} is required`;
  }
  if (!isObjectEvent && parentID === undefined && action !== 'OBSERVE') {
    return `parentID is required if action is ${String(action)}`;
  }
  for (const epc of epcsOf(event)) {
    const fault = typeof epc === 'string' ? faultOfEpc(epc) : 'must be a text';
    if (fault !== null) {
      return `EPC ${writeJson(epc).slice(0, 100)} ${fault}`;
    }
  }
  return null;
}

function faultOfEpc(value: string): string | null {
  return faultOfUri(value) ?? (whyUnusable({ tagType: 'rfid', value }) === null ? null : 'names no thing');
}

function faultOfUri(value: string): string | null {
  return faultOfTagValue(value) ?? (/^[a-z][a-z0-9+.-]*:\S+$/i.test(value) ? null : 'is no URI');
}

/** A place is known by the name of an antenna. */
function faultOfPlace(event: JsonObject, name: 'readPoint' | 'bizLocation'): string | null {
  const place = event[name];
  if (place === undefined) {
    return null;
  }
  const { id } = membersOf(place);
  const isUri = typeof id === 'string' && faultOfUri(id) === null;
  return isUri && id.length <= LONGEST_ANTENNA
    ? null
    : `${name}.id must be a URI of at most ${LONGEST_ANTENNA} characters`;
}
