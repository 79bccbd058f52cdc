import { MICROS_PER_SECOND, type Micros } from '../../base/instant.ts';
import {
  bucketAt,
  bucketsOf,
  decideBucket,
  distinct,
  isProven,
  type ReaderScan,
  type World,
} from '../location/oracle.ts';
import type { Doubt } from './asset-truth.ts';
import { Course, inOrder, type Seen } from './course.ts';
import { isExact, lastOf, type Span } from './span.ts';

/** A read of an asset, with what tells it from others. */
export interface SeenRead extends Seen {
  reader: string;
  port: number;
  tagType: string;
  tag: string;
}

/** The inputs by which the locations of a site are decided, and its ids. */
export interface DecidedSite {
  world: World;
  readerId(name: string): number;
  locationId(key: string): number;
  locationKey(id: number): string;
}

/**
 * The truth of an asset where strength or position may decide: the oracle's, from the same reads. Where every scan counts, it
 * is that of {@link AssetTruth}.
 */
export class StatedTruth {
  readonly #site: DecidedSite;
  readonly #course = new Course();
  /** Those that still bear on what is not decided. */
  #reads: SeenRead[] = [];
  /** Earlier buckets are decided. */
  #decidedTo: Micros = Number.NEGATIVE_INFINITY;
  #lastSeen: Span | null = null;
  #isUnacknowledged = false;
  /** A read whose time is not exactly known is near one that has to be proven. */
  #isInexact = false;

  constructor(site: DecidedSite) {
    this.#site = site;
  }

  add(read: SeenRead): void {
    this.#reads.push(read);
    const { earliest, latest } = read;
    this.#lastSeen = this.#lastSeen === null ? { earliest, latest } : lastOf(this.#lastSeen, read);
  }

  doubt(): void {
    this.#isUnacknowledged = true;
  }

  settle(before: Micros): void {
    const to = Number.isFinite(before) ? bucketAt(before - 2 * BEARING) * BUCKET : before;
    if (to <= this.#decidedTo) {
      return;
    }
    const isDue = ({ earliest }: Span) => earliest >= this.#decidedTo && earliest < to;
    const proven = this.#reads.filter((read) => this.#isProven(read));
    const stating = this.#reads.filter((read) => isDue(read) && !this.#isProven(read));
    const isNearProven = ({ earliest, latest }: Span) =>
      proven.some((read) => read.earliest <= latest + BEARING && read.latest >= earliest - BEARING);
    this.#isInexact ||= this.#reads.some((read) => !isExact(read) && isNearProven(read));
    const statements = proven.some(isDue) ? this.#prove(to) : [];
    for (const seen of inOrder([...stating, ...statements], this.#site.locationId)) {
      this.#course.add(seen);
    }
    this.#decidedTo = to;
    this.#reads = this.#reads.filter(({ latest }) => latest >= to - BEARING);
  }

  conclude(): { course: Course; doubt: Doubt | null } {
    this.settle(Number.POSITIVE_INFINITY);
    const course = this.#course;
    // Scans that state nothing count, too.
    course.lastSeen = course.stays.length === 0 ? null : this.#lastSeen;
    const order = course.isDecided && !this.#isInexact ? null : 'order';
    return { course, doubt: this.#isUnacknowledged ? 'unacknowledged' : order };
  }

  #isProven({ location, earliest }: SeenRead): boolean {
    return isProven(this.#site.locationId(location), earliest, this.#site.world);
  }

  /** Statements of the buckets before `to`, from exact reads. */
  #prove(to: Micros): Seen[] {
    const { world, readerId, locationId, locationKey } = this.#site;
    const scans = this.#reads.filter(isExact).map(
      (read): ReaderScan => ({
        kind: 'read',
        at: read.earliest,
        readerId: readerId(read.reader),
        antenna: read.port,
        tagType: read.tagType,
        tagValue: read.tag,
        rssi: read.rssi,
        locationId: locationId(read.location),
      }),
    );
    const buckets = bucketsOf(distinct(scans));
    return [...buckets.keys()]
      .filter((bucket) => bucket * BUCKET >= this.#decidedTo && bucket * BUCKET < to)
      .flatMap((bucket) => decideBucket(bucket, buckets, world).statements)
      .map(({ at, locationId: id, scan }) => ({
        ...{ earliest: at, latest: at, location: locationKey(id) },
        rssi: scan.kind === 'read' ? (scan.rssi ?? Number.NEGATIVE_INFINITY) : 0,
      }));
  }
}

const BUCKET: Micros = 0.5 * MICROS_PER_SECOND;

/** Reads that far apart, a bucket more than 30 s, have nothing to do with each other. */
const BEARING: Micros = 30.5 * MICROS_PER_SECOND;
