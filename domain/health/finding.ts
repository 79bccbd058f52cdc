/** Names in it are as they were given: whoever shows it sees to it that they harm nothing there. */
export interface Finding {
  check: string;
  status: 'ok' | 'warning' | 'fault';
  message: string;
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

function finding(check: string, status: Finding['status'], message: string, remedy: string | null): Finding {
  return { check, status, message, remedy };
}
