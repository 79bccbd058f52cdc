import type { SmoothingMode, SmoothingValues } from '../../api/types.ts';
import type { QueryValues } from '../../router/address.ts';
import { address } from '../../router/router.ts';

/** A setting to try, and the range to try it on, as they are typed. */
export interface Wanted {
  /** The key of a place; null for all that have no setting of their own. */
  place: string | null;
  mode: SmoothingMode;
  window: string;
  minimum: string;
  margin: string;
  /** Milliseconds since 1970; NaN where what is typed is no time. */
  from: number;
  to: number;
}

const DAY = 86_400_000;

/** What to begin with: a setting that suits most places, and the last day. */
export function usualWanted(now = Date.now()): Wanted {
  return { place: null, mode: 'on', window: '30', minimum: '5', margin: '6', ...lastRange(DAY, now) };
}

export function lastRange(milliseconds: number, to = Date.now()): { from: number; to: number } {
  return { from: to - milliseconds, to };
}

/** What the address says is tried; null if nothing is. @param now where it says no range, that of the day up to then. */
export function wantedInAddress(now: number): Wanted | null {
  const { query } = address.value;
  const mode = query.get('mode');
  if (mode !== 'on' && mode !== 'off' && mode !== 'inherit') {
    return null;
  }
  const usual = usualWanted(now);
  const [from, to] = [Date.parse(query.get('from') ?? ''), Date.parse(query.get('to') ?? '')];
  return {
    place: query.get('place'),
    mode,
    window: query.get('window') ?? '',
    minimum: query.get('min') ?? '',
    margin: query.get('margin') ?? '',
    from: Number.isFinite(from) ? from : usual.from,
    to: Number.isFinite(to) ? to : usual.to,
  };
}

export function queryOf({ place, mode, window, minimum, margin, from, to }: Wanted): QueryValues {
  const isOn = mode === 'on';
  return {
    place,
    mode,
    window: isOn ? window : null,
    min: isOn ? minimum : null,
    margin: isOn ? margin : null,
    from: timeOf(from),
    to: timeOf(to),
  };
}

/** As the API takes it. */
export function settingOf({ place, mode, window, minimum, margin }: Wanted) {
  return { location_external_key: place, ...valuesOf({ mode, window, minimum, margin }) };
}

export function valuesOf({
  mode,
  window,
  minimum,
  margin,
}: Pick<Wanted, 'mode' | 'window' | 'minimum' | 'margin'>): SmoothingValues {
  const number = (text: string) => (mode !== 'on' || text.trim() === '' ? null : Number(text));
  return {
    mode,
    window_seconds: number(window),
    min_seconds: number(minimum),
    margin_db: number(margin),
  };
}

/** A setting that was made, as what is typed. */
export function typed({ mode, window_seconds, min_seconds, margin_db }: SmoothingValues) {
  const text = (value: number | null) => (value === null ? '' : String(value));
  return { mode, window: text(window_seconds), minimum: text(min_seconds), margin: text(margin_db) };
}

export function timeOf(milliseconds: number): string | null {
  return Number.isFinite(milliseconds) ? new Date(milliseconds).toISOString() : null;
}
