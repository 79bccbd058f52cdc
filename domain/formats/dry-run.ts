import { MICROS_PER_MILLISECOND, type Micros } from '../../base/instant.ts';
import { plainValue, withoutTokens } from '../../base/scanned-text.ts';
import type { Readings } from '../tracking/reading-kind.ts';
import { whyUnusable } from '../tracking/tag-key.ts';
import type { TagType } from '../tracking/tag-type.ts';
import type { UnusableReadings } from './mapping/fields.ts';
import type { Format } from './mapping/format.ts';
import { requireIdentity } from './mapping/identity.ts';
import {
  type Item,
  type Mapped,
  type Message,
  mapMessage,
  type Policies,
  type TagRead,
} from './mapping/run.ts';

/** The result of a message, in the order in which the format finds its items. */
export interface DryRun {
  /** `items`, or the outcome of the message as a whole; then there is one entry, for the whole. */
  outcome: Mapped['outcome'];
  scans: DryScan[];
  ignored: { reason: string; warning: string | null; near_miss?: string }[];
  /** How many of those ignored hold something that looks like a tag; left out if none does. */
  near_misses?: number;
  /** `item` counts from 0; null, as the excerpt is, for the whole message. */
  rejected: { item: number | null; reason: string; excerpt: string | null }[];
}

export interface DryScan {
  tag_type: TagType;
  /** Of a barcode as people see it: it is stored with its separators (FNC1). */
  value: string;
  /** A port, or a name; 1 if the message names none. */
  antenna: number | string;
  /** dBm */
  rssi: number | null;
  /** The payload's value that is no signal strength. */
  rssi_unusable?: number | string;
  /** RFC 3339 in UTC, to the microsecond; null: the time of receipt will be used. */
  observed_at: string | null;
  /** The payload's value that is no time. */
  time_unreadable?: number | string;
  /** The time of a clock that was not set. */
  clock_unset?: number | string;
  /** The values that the tag measures; absent if the payload has none. */
  readings?: Readings;
  /** The payload's impossible measured values. */
  readings_unusable?: UnusableReadings;
  /** The payload's claims about the reader; informative only. */
  reader: string | null;
  /** Whether it would be listed as an unknown tag if it belongs to none. */
  report_unknown: boolean;
}

/**
 * Reads a message as intake would for a reader of this format and policies, and stores nothing. Does not check what
 * depends on a registered reader: known tags, antennas' locations, lateness.
 *
 * @throws AppError `invalid_input` if the format does not know the identity.
 */
export function dryRun(format: Format, message: Message, policies: Partial<Policies> = {}): DryRun {
  requireIdentity(format, policies.identity);
  const mapped = mapMessage(format, message, policies);
  const run: DryRun = { outcome: mapped.outcome, scans: [], ignored: [], rejected: [] };
  if (mapped.outcome === 'rejected') {
    run.rejected.push({ item: null, reason: mapped.reason, excerpt: null });
    return run;
  }
  const items: readonly Item[] = mapped.outcome === 'items' ? mapped.items : [mapped];
  for (const [position, item] of items.entries()) {
    add(item, position, run);
  }
  return run;
}

function add(item: Item, position: number, run: DryRun): void {
  if (item.outcome === 'ignored') {
    const { reason, warning = null, nearMiss } = item;
    run.ignored.push({
      reason,
      warning,
      ...(nearMiss === undefined ? {} : { near_miss: withoutTokens(nearMiss) }),
    });
    if (nearMiss !== undefined) {
      run.near_misses = (run.near_misses ?? 0) + 1;
    }
  } else if (item.outcome === 'rejected') {
    run.rejected.push({
      item: item.index,
      reason: withoutTokens(item.reason),
      excerpt: withoutTokens(item.excerpt),
    });
  } else {
    const fault = whyUnusable(item.read);
    if (fault === null) {
      run.scans.push(toDryScan(item.read));
    } else {
      run.rejected.push({ item: position, reason: fault, excerpt: withoutTokens(item.read.value) });
    }
  }
}

function toDryScan(read: TagRead): DryScan {
  const { tagType, value, antenna, rssi, deviceTime, readings, reader, reportUnknown, unusable } = read;
  return {
    tag_type: tagType,
    value: tagType === 'barcode' ? plainValue(value) : value,
    antenna: antenna === null ? 1 : maskedIfText(antenna),
    rssi,
    ...(unusable?.rssi === undefined ? {} : { rssi_unusable: maskedIfText(unusable.rssi) }),
    observed_at: deviceTime === null ? null : written(deviceTime),
    ...(unusable?.time === undefined ? {} : { time_unreadable: maskedIfText(unusable.time) }),
    ...(unusable?.unsetClock === undefined ? {} : { clock_unset: maskedIfText(unusable.unsetClock) }),
    ...(readings === undefined ? {} : { readings }),
    ...(unusable?.readings === undefined ? {} : { readings_unusable: masked(unusable.readings) }),
    reader,
    report_unknown: reportUnknown,
  };
}

function maskedIfText(given: number | string): number | string {
  return typeof given === 'number' ? given : withoutTokens(given);
}

function masked(readings: UnusableReadings): UnusableReadings {
  return Object.fromEntries(Object.entries(readings).map(([kind, given]) => [kind, maskedIfText(given)]));
}

function written(instant: Micros): string {
  const milliseconds = Math.floor(instant / MICROS_PER_MILLISECOND);
  const rest = String(instant - milliseconds * MICROS_PER_MILLISECOND).padStart(3, '0');
  return new Date(milliseconds).toISOString().replace('Z', `${rest}Z`);
}
