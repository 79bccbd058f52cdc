import type { Micros } from '../../../../base/instant.ts';
import type { Kind } from '../../rules/rule.ts';

/** An alert whose state has changed since the last letter, in its present state. */
export interface TouchedAlert {
  id: string;
  ruleName: string;
  kind: Kind;
  /** The name of the asset or reader; like the location's, it may contain any text. */
  subject: string;
  location: string | null;
  state: 'open' | 'acknowledged' | 'closed' | 'withdrawn';
  level: 'warning' | 'alarm' | null;
  /** For `overdue`. */
  isMissing: boolean;
  /** Of a tag's readings. */
  reading: { kind: string; above: number | null; below: number | null; value: number } | null;
  openedAt: Micros;
  closedAt: Micros | null;
  /** Opened since the last letter, so no letter has reported it. */
  isNew: boolean;
}

/** Alerts that a letter lists; of more it tells how many. */
const LISTED = 50;

export interface ToldAlerts {
  /** Those to act on first. */
  listed: readonly TouchedAlert[];
  omitted: number;
}

/**
 * The alerts that one letter reports: each that changed since the last letter, once, as it is now. Leaves out alerts
 * that were withdrawn before anybody was told, and acknowledgements.
 */
export function toldAlerts(touched: readonly TouchedAlert[]): ToldAlerts {
  const told = touched
    .filter(({ state, isNew }) => (state === 'withdrawn' ? !isNew : state !== 'acknowledged' || isNew))
    .sort((a, b) => rankOf(a) - rankOf(b) || a.openedAt - b.openedAt || (a.id < b.id ? -1 : 1));
  return { listed: told.slice(0, LISTED), omitted: Math.max(0, told.length - LISTED) };
}

function rankOf({ state, level }: TouchedAlert): number {
  if (state === 'open' || state === 'acknowledged') {
    return level === 'warning' ? 1 : 0;
  }
  return state === 'closed' ? 2 : 3;
}
