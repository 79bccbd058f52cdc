import type { Micros } from '../../../base/instant.ts';
import type { Bound } from '../../tracking/reading-bound.ts';
import type { Hours } from './hours.ts';

export const KINDS = [
  'overdue',
  'dwell',
  'not_allowed',
  'must_be',
  'reader',
  'reading',
  'battery_low',
] as const;

export type Kind = (typeof KINDS)[number];

/** A rule as set at an instant; never changed in place. All versions share an id. */
export interface DatedRule {
  /** A ULID. */
  ruleId: string;
  orgId: number;
  kind: Kind;
  name: string;
  /** The first threshold. */
  after: Micros | null;
  /** The second: `dwell` warns at the first and raises at this one, `overdue` becomes missing. */
  thenAfter: Micros | null;
  /** The place, with its subtree, of `dwell`, `not_allowed` and `must_be`. */
  locationId: number | null;
  /** For `must_be`; null is always. */
  hours: Hours | null;
  bound: Bound;
  selection: Selection;
  /** Addresses of members of the organization. */
  mailTo: readonly string[];
  /** It is valid from then on, without its end. */
  from: Micros;
  until: Micros | null;
}

/** Kinds that are about what tags measure: with a bound, and nothing else but a time. */
export function isOfReadings({ kind }: { kind: string }): boolean {
  return kind === 'reading' || kind === 'battery_low';
}

/** Which assets, or readers, a rule is about: those that meet every criterion that is not null or empty. */
export interface Selection {
  assetIds: readonly number[] | null;
  /** Assets that were in this subtree at the instant in question. */
  withinLocationId: number | null;
  metadata: readonly MetadataTerm[];
  readerIds: readonly number[] | null;
}

export interface MetadataTerm {
  path: readonly string[];
  value: string;
}
