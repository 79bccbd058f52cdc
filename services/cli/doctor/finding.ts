import { forTerminal } from '../command-line/for-terminal.ts';

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
  return finding(check, 'ok', message, null);
}

export function warning(check: string, message: string, remedy: string): Finding {
  return finding(check, 'warning', message, remedy);
}

export function fault(check: string, message: string, remedy: string): Finding {
  return finding(check, 'fault', message, remedy);
}

/** What was found names readers, keys and addresses, and is shown as one line. */
function finding(check: string, status: Finding['status'], message: string, remedy: string | null): Finding {
  return {
    check,
    status,
    message: forTerminal(message),
    remedy: remedy === null ? null : forTerminal(remedy),
  };
}
