export const EVENT_TYPES = [
  'tagtrail.asset.moved.v1',
  'tagtrail.history.corrected.v1',
  'tagtrail.alert.opened.v1',
  'tagtrail.alert.acknowledged.v1',
  'tagtrail.alert.closed.v1',
  'tagtrail.alert.withdrawn.v1',
] as const;

export type EventType = (typeof EVENT_TYPES)[number];

export interface Webhook {
  id: number;
  name: string;
  url: string;
  /** Null for all. */
  types: readonly EventType[] | null;
  location_external_key: string | null;
  state: 'on' | 'off' | 'paused';
  state_reason: 'gone' | 'undeliverable' | 'expired' | null;
  state_at: string;
  created_at: string;
  /** Everything up to here is delivered. */
  position: number;
  /** Of the feed. */
  head: number;
  /** When each of its secrets, of which two may be valid at once, was made; the newest first. */
  secrets_since: readonly string[];
  last_attempt: { at: string; status: number | null; error: string | null } | null;
  next_attempt_at: string | null;
}

export interface Attempt {
  id: number;
  at: string;
  position: number | null;
  attempt: number;
  event_id: string;
  status: number | null;
  error: string | null;
  milliseconds: number;
  answer: string | null;
}

export type TestResult = Pick<Attempt, 'status' | 'error' | 'milliseconds' | 'answer'> & {
  delivered: boolean;
};
