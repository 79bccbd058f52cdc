import { useRef } from 'preact/hooks';
import { lastSecond } from '../../api/server-clock.ts';
import { address } from '../../router/router.ts';
import { rangeOf, SPANS, type Span } from './spans.ts';

export interface ReportWindow {
  /** Null if the name is not a span's. */
  span: Span | null;
  from: string;
  to: string;
}

const USUAL: Span = 'days7';

/** Where the viewer's days begin. */
export const TIME_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Filters that most reports have: who goes from one to another keeps them. */
export const SHARED = ['asset_external_key', 'location_external_key', 'include_descendants'];

export const TIMES = ['span', 'from', 'to'];

/** The window that the address names, `from` and `to` or a span, which ends when the report was opened: pages follow each other. */
export function useReportWindow(): ReportWindow {
  const { query } = address.value;
  const opened = useRef<{ span: Span; at: number } | null>(null);
  const [from, to] = [Date.parse(query.get('from') ?? ''), Date.parse(query.get('to') ?? '')];
  if (Number.isFinite(from) && Number.isFinite(to)) {
    opened.current = null;
    return { span: null, ...asText({ from, to }) };
  }
  const span = SPANS.find((each) => each === query.get('span')) ?? USUAL;
  if (opened.current?.span !== span) {
    opened.current = { span, at: lastSecond() };
  }
  return { span, ...asText(rangeOf(span, opened.current.at)) };
}

/** The instant that the address names under `name`, or when the report was opened. */
export function useReportInstant(name: string): string {
  const opened = useRef<number | null>(null);
  const at = Date.parse(address.value.query.get(name) ?? '');
  opened.current ??= lastSecond();
  return new Date(Number.isFinite(at) ? at : opened.current).toISOString();
}

function asText({ from, to }: { from: number; to: number }) {
  return { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
}
