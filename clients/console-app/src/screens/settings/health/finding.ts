import type { Texts } from '../../../texts/texts.ts';

export interface Finding {
  check: string;
  status: 'ok' | 'warning' | 'fault';
  /** Null of an installation that others use too. */
  message: string | null;
  /** Null where nothing is to be done, or not here. */
  remedy: string | null;
  /** What to do about it in the console; null where it takes a command line. */
  mend: { what: MendName; id: number | null } | null;
}

export type MendName = keyof Texts['health']['mends'];

export interface Retention {
  scan_days: number;
  /** Null for good. */
  move_days: number | null;
  lateness_days: number;
}

export interface Health {
  checked_at: string;
  organization: readonly Finding[];
  installation: readonly Finding[];
  retention: Retention;
}

/** The most serious first; what is in order last, as it was found. */
export function bySeriousness(findings: readonly Finding[]): readonly Finding[] {
  const rank = { fault: 0, warning: 1, ok: 2 };
  return [...findings].sort((one, other) => rank[one.status] - rank[other.status]);
}
