import { bareTerm, canonicalUri, type ObjectEvent } from './event.ts';

/** Milliseconds since 1970; `from` belongs to it, `to` does not. */
interface TimeRange {
  from: number | null;
  to: number | null;
}

/** Which events a query wants. An empty list of sets admits all. */
export interface Filter {
  eventTime: TimeRange;
  recordTime: TimeRange;
  bizSteps: ReadonlySet<string> | null;
  dispositions: ReadonlySet<string> | null;
  readPoints: ReadonlySet<string> | null;
  bizLocations: ReadonlySet<string> | null;
  /** One of each. */
  epcs: readonly ReadonlySet<string>[];
  eventIds: ReadonlySet<string> | null;
  /** Null for events, whether they are declared wrong or not. */
  errors: {
    time: TimeRange;
    reasons: ReadonlySet<string> | null;
    correctiveIds: ReadonlySet<string> | null;
  } | null;
  /** It asks for what is never told here: other types of events, other actions. */
  isOfNothing: boolean;
}

/** Parameters of the query language, as they are given; times in microseconds since 1970. */
export interface FilterGiven {
  eventType?: readonly string[] | undefined;
  GE_eventTime?: number | undefined;
  LT_eventTime?: number | undefined;
  GE_recordTime?: number | undefined;
  LT_recordTime?: number | undefined;
  EQ_action?: readonly string[] | undefined;
  EQ_bizStep?: readonly string[] | undefined;
  EQ_disposition?: readonly string[] | undefined;
  EQ_readPoint?: readonly string[] | undefined;
  EQ_bizLocation?: readonly string[] | undefined;
  MATCH_epc?: readonly string[] | undefined;
  MATCH_anyEPC?: readonly string[] | undefined;
  EQ_eventID?: readonly string[] | undefined;
  EXISTS_errorDeclaration?: boolean | undefined;
  GE_errorDeclarationTime?: number | undefined;
  LT_errorDeclarationTime?: number | undefined;
  EQ_errorReason?: readonly string[] | undefined;
  EQ_correctiveEventID?: readonly string[] | undefined;
}

export function filterOf(given: FilterGiven): Filter {
  const lacks = (wanted: readonly string[] | undefined, told: string) =>
    wanted !== undefined && !wanted.includes(told);
  return {
    eventTime: rangeOf(given.GE_eventTime, given.LT_eventTime),
    recordTime: rangeOf(given.GE_recordTime, given.LT_recordTime),
    bizSteps: setOf(given.EQ_bizStep, bareTerm),
    dispositions: setOf(given.EQ_disposition, bareTerm),
    readPoints: setOf(given.EQ_readPoint, canonicalUri),
    bizLocations: setOf(given.EQ_bizLocation, canonicalUri),
    epcs: [given.MATCH_epc, given.MATCH_anyEPC].flatMap((wanted) => setOf(wanted, canonicalUri) ?? []),
    eventIds: setOf(given.EQ_eventID, (id) => id),
    errors: errorsOf(given),
    isOfNothing: lacks(given.eventType, 'ObjectEvent') || lacks(given.EQ_action, 'OBSERVE'),
  };
}

function errorsOf(given: FilterGiven): Filter['errors'] {
  const wanted = {
    time: rangeOf(given.GE_errorDeclarationTime, given.LT_errorDeclarationTime),
    reasons: setOf(given.EQ_errorReason, bareTerm),
    correctiveIds: setOf(given.EQ_correctiveEventID, (id) => id),
  };
  const isAsked = [wanted.time.from, wanted.time.to, wanted.reasons, wanted.correctiveIds].some(
    (each) => each !== null,
  );
  return isAsked || given.EXISTS_errorDeclaration === true ? wanted : null;
}

function rangeOf(from: number | undefined, to: number | undefined): TimeRange {
  return { from: millisecond(from), to: millisecond(to) };
}

/** Events show milliseconds. */
function millisecond(micros: number | undefined): number | null {
  return micros === undefined ? null : Math.ceil(micros / 1_000);
}

function setOf(
  given: readonly string[] | undefined,
  normal: (value: string) => string,
): ReadonlySet<string> | null {
  return given === undefined ? null : new Set(given.map(normal));
}

export function matches(event: ObjectEvent, filter: Filter): boolean {
  return (
    !filter.isOfNothing &&
    isWithin(event.eventTime, filter.eventTime) &&
    isWithin(event.recordTime, filter.recordTime) &&
    admits(filter.bizSteps, event.bizStep) &&
    admits(filter.dispositions, event.disposition) &&
    admits(filter.readPoints, event.readPoint.id) &&
    admits(filter.bizLocations, event.bizLocation.id) &&
    filter.epcs.every((wanted) => event.epcList.some((epc) => wanted.has(canonicalUri(epc)))) &&
    admits(filter.eventIds, event.eventID) &&
    (filter.errors === null || matchesError(event, filter.errors))
  );
}

function matchesError(
  { errorDeclaration: error }: ObjectEvent,
  { time, reasons, correctiveIds }: NonNullable<Filter['errors']>,
): boolean {
  return (
    error !== undefined &&
    isWithin(error.declarationTime, time) &&
    admits(reasons, error.reason) &&
    (correctiveIds === null || error.correctiveEventIDs?.some((id) => correctiveIds.has(id)) === true)
  );
}

function isWithin(time: string, { from, to }: TimeRange): boolean {
  const at = Date.parse(time);
  return (from === null || at >= from) && (to === null || at < to);
}

function admits(wanted: ReadonlySet<string> | null, value: string | undefined): boolean {
  return wanted === null || (value !== undefined && wanted.has(value));
}
