import { forTerminal } from '../command-line/for-terminal.ts';

/** The result of one check. A fault keeps tagtrail from working correctly; a warning is worth a look. */
export interface Finding {
  check: string;
  status: 'ok' | 'warning' | 'fault';
  message: string;
  /** The remedy; null if nothing is wrong. */
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

/** Findings name readers, keys and addresses, and are shown on one line. */
function finding(check: string, status: Finding['status'], message: string, remedy: string | null): Finding {
  return {
    check,
    status,
    message: forTerminal(message),
    remedy: remedy === null ? null : forTerminal(remedy),
  };
}
