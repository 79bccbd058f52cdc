/**
 * A GS1 code without AIM's identifier. The separators between its parts (FNC1) stay: without them nobody can tell where
 * a batch ends and a serial number begins.
 */
export function readCode(code: string): string {
  return code.replace(/^\](?:C1|d2|Q3|e0|J1)/, '');
}

/** A code as people see it, and as scanners type it that leave out the separators. */
export function plainValue(code: string): string {
  return readCode(code).replaceAll('\u001d', '');
}
