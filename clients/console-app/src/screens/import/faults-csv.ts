import type { ImportFault } from '../../api/import.ts';

const COLUMNS = ['line', 'column', 'value', 'code', 'message'] as const;

export function faultsAsCsv(faults: readonly ImportFault[]): string {
  const lines = faults.map((fault) => COLUMNS.map((name) => cellOf(String(fault[name] ?? ''))).join());
  return [COLUMNS.join(), ...lines, ''].join('\r\n');
}

/** Cells of somebody's file: none of them is to become a formula, nor what follows a semicolon in one, as in our exports. */
function cellOf(text: string): string {
  const marked = text.replace(/([;\t\r\n])(?=['"]*[=+\-@＝＋－＠])/g, "$1'");
  const harmless = /^'*[=+\-@\t\r\n＝＋－＠]/.test(text) ? `'${marked}` : marked;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
