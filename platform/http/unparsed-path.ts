/**
 * The path of an unparsable request (contract 7.1, `instance`) if its request line is in the last packet; else `/`.
 *
 * @param bytesParsed offset of the fault.
 */
export function pathInPacket(packet: Buffer | undefined, bytesParsed = 0): string {
  const text = packet?.toString('latin1') ?? '';
  const before = text.lastIndexOf(END_OF_HEADERS, bytesParsed - END_OF_HEADERS.length);
  const begin = before === -1 ? 0 : before + END_OF_HEADERS.length;
  // The previous request's body may precede it.
  const [line = ''] = text.slice(begin).split(/\r?\n/, 1);
  const [method = '', target = '', version = ''] = line.split(' ').slice(-3);
  return /[A-Za-z]$/.test(method) && /^HTTP\/\d\.\d$/.test(version) ? pathOfTarget(target) : '/';
}

export function pathOfTarget(target: string): string {
  if (target.startsWith('/')) {
    const [path = ''] = target.split(/[?#]/, 1);
    return path.replace(
      /[^!-~]/g,
      (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
    );
  }
  const path = URL.canParse(target) ? new URL(target).pathname : '';
  return path.startsWith('/') ? path : '/';
}

const END_OF_HEADERS = '\r\n\r\n';
