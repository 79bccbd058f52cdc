import type { RuleKind } from './rule.ts';

export const ALERT_STATES = ['open', 'acknowledged', 'closed', 'withdrawn'] as const;

export type AlertState = (typeof ALERT_STATES)[number];

/** What a rule has raised about an asset or a reader, for one stretch of time. */
export interface Alert {
  id: string;
  rule: { id: string; name: string };
  kind: RuleKind;
  /** Of `dwell`. */
  level: 'warning' | 'alarm' | null;
  state: AlertState;
  asset: { id: number; external_key: string } | null;
  reader: { id: number; name: string } | null;
  location: { id: number; external_key: string } | null;
  /** As observed. */
  opened_at: string;
  /** When it was derived. */
  recorded_at: string;
  acknowledged_at: string | null;
  acknowledged_by: string | null;
  closed_at: string | null;
  because: Because | null;
}

/** What there was: which of it depends on the kind. */
export interface Because {
  state?: 'overdue' | 'missing' | 'silent' | 'disconnected';
  location_id?: number;
  last_seen?: string;
  sweep_id?: string | null;
  from?: string;
}
