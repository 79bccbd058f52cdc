import type { AssetDocument } from '../truth/document.ts';
import type { PresenceDocument, ReaderTroubles, State } from '../truth/presence-document.ts';

/** Correct answers about an asset at an instant; `reader` if only a reader can be the reason. */
export interface Expected {
  states: readonly State[];
  reader: string | null;
}

/** Milliseconds. Steps of the run, whole seconds in messages, and the way to the database. */
export const SLACK = 3_000;

/** Most milliseconds between two messages of a reader, besides its reads. */
export const HEARTBEAT = 5_000;

/**
 * What may be said of assets of a watched site, from what really happened there: a present asset is never overdue, a
 * stolen one that would have been read always is, and one that nobody could see is unknown. Written from the rules
 * alone, without any of the code under test.
 */
export class PresenceOracle {
  readonly #site: PresenceDocument;
  readonly #overlap: boolean;
  readonly #readers: ReadonlyMap<string, ReaderTroubles>;
  readonly #watched: ReadonlyMap<string, string>;

  /** @param overlap antennas see a bit of what is beside them. */
  constructor(site: PresenceDocument, { overlap }: { overlap: boolean }) {
    this.#site = site;
    this.#overlap = overlap;
    this.#readers = new Map(site.readers.map((each) => [each.reader, each]));
    this.#watched = new Map(site.continuous.map(({ location, reader }) => [location, reader]));
  }

  /**
   * @param there where it really was.
   * @param at milliseconds since 1970.
   * @returns null where it cannot be told.
   */
  expect(
    { history, undecided }: AssetDocument,
    there: PresenceDocument['assets'][number]['there'],
    at: number,
  ): Expected | null {
    const isNear = history.some(
      (row) => time(row.at) - SLACK < at && at < time(row.at_latest ?? row.at) + SLACK,
    );
    if (undecided !== null || isNear) {
      return null;
    }
    const location = history.findLast((row) => time(row.at) <= at)?.location;
    const name = location === undefined ? undefined : this.#watched.get(location);
    const reader = name === undefined ? undefined : this.#readers.get(name);
    if (location === undefined || reader === undefined) {
      return { states: [location === undefined ? 'never_seen' : 'present'], reader: null };
    }
    const stays = there.map((stay) => ({ ...stay, from: time(stay.from), until: orNever(stay.until) }));
    const own = stays.filter((stay) => stay.location === location);
    // Its reads count as of its own time, so this was later.
    const real = at + Math.max(0, -reader.clock_ahead_seconds) * 1_000;
    const seen = lastSeen(own, lost(reader), real);
    const isLast = stays.findLast(({ from }) => from <= at)?.location === location;
    return seen === null || (this.#overlap && !isLast) || this.#mayCountAsUp(lost(reader))
      ? null
      : this.#judge({ reader, seen, since: own.findLast((stay) => covers(stay, real))?.from ?? null }, at);
  }

  #judge({ reader, seen, since }: Judged, at: number): Expected | null {
    const { max_gap_seconds: gap, expected_seconds: expected, reread_seconds: reread } = this.#site;
    const any = (...states: State[]): Expected => ({ states, reader: null });
    if (reader.clock_ahead_seconds < 0) {
      return since === null ? null : any('present', 'unknown');
    }
    const within = reread * 1_000 + SLACK;
    const mayBeUp = upTime(lost(reader), seen, at);
    if (since !== null && mayBeUp === 0) {
      if (at > seen + Math.max(gap, expected) * 1_000 + SLACK) {
        return { states: ['unknown'], reader: reader.reader };
      }
      const isRead = seen === at && since <= at - within && upTime(lost(reader), at - within, at) === within;
      return isRead ? any('present') : any('present', 'unknown', ...(since > at - within ? GONE : []));
    }
    // Not there, or brought back while nobody could see it.
    if (upTime(downTimes(reader), seen, at) > gap * 1_000 + SLACK + HEARTBEAT) {
      return any('overdue', 'missing');
    }
    return any('present', 'unknown', ...(mayBeUp + within < gap * 1_000 ? [] : GONE));
  }

  /** A silence in which the reader might have listened, for all that it said, in which things can be missed. */
  #mayCountAsUp(down: readonly Span[]): boolean {
    const { max_gap_seconds: gap, expected_seconds: expected, reread_seconds: reread } = this.#site;
    const isShort = ({ from, until }: Span) => until - from < expected * 1_000 + SLACK;
    return gap * 1_000 < (expected + reread) * 1_000 + SLACK && down.some(isShort);
  }
}

interface Judged {
  reader: ReaderTroubles;
  /** When it would have been read last. */
  seen: number;
  /** Since when it is there; null if it is not. */
  since: number | null;
}

interface Span {
  from: number;
  until: number;
}

const GONE: readonly State[] = ['overdue', 'missing'];

function downTimes({ down }: ReaderTroubles, isCounted = (_kept: boolean) => true): Span[] {
  return down
    .filter(({ kept }) => isCounted(kept))
    .map(({ from, until }) => ({ from: time(from), until: orNever(until) }));
}

/** When it read nothing: what it kept it said afterwards. */
function lost(reader: ReaderTroubles): Span[] {
  return downTimes(reader, (kept) => !kept);
}

function covers({ from, until }: Span, at: number): boolean {
  return from <= at && at < until;
}

/** The last instant up to one at which it was there and its reader up; null if there is none. */
function lastSeen(stays: readonly Span[], down: readonly Span[], at: number): number | null {
  for (const { from, until } of stays.toReversed()) {
    let seen = Math.min(until, at);
    for (const each of down.toReversed()) {
      seen = each.from < seen && seen <= each.until ? each.from : seen;
    }
    if (from <= seen) {
      return seen;
    }
  }
  return null;
}

function upTime(down: readonly Span[], from: number, until: number): number {
  const times = down.map((each) => Math.max(0, Math.min(each.until, until) - Math.max(each.from, from)));
  return until - from - times.reduce((sum, length) => sum + length, 0);
}

function time(text: string): number {
  return Date.parse(text);
}

function orNever(text: string | null): number {
  return text === null ? Number.POSITIVE_INFINITY : time(text);
}
