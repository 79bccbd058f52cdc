import { MICROS_PER_DAY, type Micros } from '../../../base/instant.ts';
import type { Bound } from '../../tracking/reading-bound.ts';
import type { Kind, Selection } from './rule.ts';

/** People's settings of a rule. */
export interface RuleSettings {
  kind: Kind;
  name: string;
  after: Micros | null;
  thenAfter: Micros | null;
  locationId: number | null;
  /** As it was written, with its time zone. */
  hours: { text: string; timeZone: string } | null;
  bound: Bound;
  selection: Selection;
  mailTo: readonly string[];
}

export const LIMITS = {
  /** Live rules of an organization. */
  rules: 200,
  /** Settings and ends of rules that an organization records within the time that alerts are derived of. */
  versions: 2_000,
  /** As many as changes, plus the last kept end, plus one for each possible rule: every rule can always be ended. */
  endings: 2_201,
  assets: 1_000,
  readers: 1_000,
  terms: 10,
  pathLength: 5,
  textLength: 255,
  hoursLength: 255,
  recipients: 20,
} as const;

export const MOST_AFTER: Micros = 30 * MICROS_PER_DAY;

/** How far back alerts are derived, and so a rule may begin. */
export const DERIVED: Micros = 31 * MICROS_PER_DAY;

/** How far ahead a rule may begin. */
export const AHEAD: Micros = 366 * MICROS_PER_DAY;

export const EVERYTHING: Selection = {
  assetIds: null,
  withinLocationId: null,
  metadata: [],
  readerIds: null,
};
