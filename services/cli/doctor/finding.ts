/** What one check found. A fault keeps tagtrail from working rightly; a warning is worth a look. */
export interface Finding {
  /** What was looked at. */
  check: string;
  status: 'ok' | 'warning' | 'fault';
  message: string;
  /** What to do about it; null if it is all right. */
  remedy: string | null;
}

export function ok(check: string, message: string): Finding {
  return { check, status: 'ok', message, remedy: null };
}

export function warning(check: string, message: string, remedy: string): Finding {
  return { check, status: 'warning', message, remedy };
}

export function fault(check: string, message: string, remedy: string): Finding {
  return { check, status: 'fault', message, remedy };
}
