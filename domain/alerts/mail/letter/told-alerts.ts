import type { TouchedAlert } from './touched-alert.ts';

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
