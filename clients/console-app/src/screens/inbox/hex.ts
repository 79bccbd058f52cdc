const PER_LINE = 16;

export function bytesOf(payload: string, isText: boolean): Uint8Array {
  return isText
    ? new TextEncoder().encode(payload)
    : Uint8Array.from(atob(payload), (character) => character.charCodeAt(0));
}

/** `0000  7b 22 65 70 63 22 …  {"epc"…`, sixteen bytes a line. */
export function hexLines(bytes: Uint8Array): string {
  const lines: string[] = [];
  for (let at = 0; at < bytes.length; at += PER_LINE) {
    const line = [...bytes.subarray(at, at + PER_LINE)];
    const hex = line.map((byte) => byte.toString(16).padStart(2, '0')).join(' ');
    const seen = line.map((byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '·')).join('');
    lines.push(`${at.toString(16).padStart(4, '0')}  ${hex.padEnd(PER_LINE * 3 - 1)}  ${seen}`);
  }
  return lines.join('\n');
}
