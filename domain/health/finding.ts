import { type FragmentSqlToken, sql } from '../../db/timescale/queries/sql.ts';

/** Findings that an organization's people can mend; with an `id` if it is about one reader or webhook. */
export const MENDS = [
  'add_reader',
  'set_format',
  'look_at_silent',
  'look_at_unheard',
  'set_clock',
  'place_antennas',
  'change_topic',
  'empty_inbox',
  'switch_webhook_on',
  'replay_webhook',
  'rotate_secret',
  'look_at_attempts',
  'set_password',
  'set_mqtt_version',
  'separate_logins',
  'replace_key',
  'replace_handheld',
  'enable_user',
  'reset_user',
  'look_at_rules',
  'decide_by_strength',
  'detach_alike',
] as const;

export interface Mend {
  what: (typeof MENDS)[number];
  id: number | null;
}

/** Contains names as given: the caller must escape them. */
export interface Finding {
  check: string;
  status: 'ok' | 'warning' | 'fault';
  message: string;
  /** For who has a command line. */
  remedy: string | null;
  /** The same for users without a command line; null where it takes one. */
  mend: Mend | null;
}

export function ok(check: string, message: string): Finding {
  return { check, status: 'ok', message, remedy: null, mend: null };
}

export function warning(check: string, message: string, remedy: string, mend: Mend | null = null): Finding {
  return { check, status: 'warning', message, remedy, mend };
}

export function fault(check: string, message: string, remedy: string, mend: Mend | null = null): Finding {
  return { check, status: 'fault', message, remedy, mend };
}

/** A condition: a column's value is the organization; with null, of any. */
export function isOf(column: FragmentSqlToken, orgId: number | null): FragmentSqlToken {
  return orgId === null ? sql.fragment`true` : sql.fragment`${column} = ${orgId}`;
}
