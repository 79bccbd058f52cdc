/** A request as it is generated: everything in it is sent to the byte. Header values are Latin-1. */
export interface FuzzRequest {
  method: string;
  /** Path and query. */
  target: string;
  headers: readonly (readonly [name: string, value: string])[];
  body: Uint8Array | null;
  /** Sent in chunks of so many bytes; null to say its length instead. */
  chunk: number | null;
}

export function toBytes(request: FuzzRequest): Buffer {
  return Buffer.concat([headOf(request), ...chunks(request.body, request.chunk)]);
}

/** Node.js's own bound, in bytes, give or take what it does not count. */
export const HEAD_LIMIT = 16_384;

/** Bytes of the request line and the headers. */
export function headSize(request: FuzzRequest): number {
  return headOf(request).length;
}

function headOf({ method, target, headers, body, chunk }: FuzzRequest): Buffer {
  const framing =
    body === null ? [] : [chunk === null ? `Content-Length: ${body.length}` : 'Transfer-Encoding: chunked'];
  const fields = headers.map(([name, value]) => `${name}: ${value}`);
  const lines = [`${method} ${target} HTTP/1.1`, 'Host: 127.0.0.1', ...fields, ...framing, '', ''];
  return Buffer.from(lines.join('\r\n'), 'latin1');
}

function chunks(body: Uint8Array | null, size: number | null): Uint8Array[] {
  if (body === null || size === null) {
    return body === null ? [] : [body];
  }
  const parts: Uint8Array[] = [];
  for (let at = 0; at < body.length; at += size) {
    const part = body.subarray(at, at + size);
    parts.push(Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n'));
  }
  return [...parts, Buffer.from('0\r\n\r\n')];
}

/** The request as a command line for a shell; `$URL` is where the API listens, `key` is written as `$KEY`. */
export function toCurl({ method, target, headers, body, chunk }: FuzzRequest, key: string): string {
  const head = method === 'HEAD' ? '--head' : `-X ${quoted(method)}`;
  const sent = chunk === null || body === null ? headers : [...headers, ['Transfer-Encoding', 'chunked']];
  const options = sent.map(([name = '', value = '']) =>
    // An empty value is written with a semicolon; a default header that is not sent has to be taken away.
    value === '' ? `-H ${quoted(`${name};`)}` : `-H ${quoted(`${name}: ${value}`).replaceAll(key, "'$KEY'")}`,
  );
  const hasType = headers.some(([name]) => name.toLowerCase() === 'content-type');
  const data = body === null ? [] : ['--data-binary @-', ...(hasType ? [] : ["-H 'Content-Type:'"])];
  const curl = ['curl -i --globoff --path-as-is', head, ...options, ...data, `"$URL"${quoted(target)}`].join(
    ' ',
  );
  return body === null ? curl : `printf ${quotedBytes(Buffer.from(body))} | ${curl}`;
}

function quoted(text: string): string {
  return /^[\x20-\x7e]*$/.test(text)
    ? `'${text.replaceAll("'", "'\\''")}'`
    : `$${quotedBytes(Buffer.from(text, 'latin1'), '%')}`;
}

/** In single quotes, whatever is not plain text as octal escapes. @param plain a character not to be escaped. */
function quotedBytes(bytes: Buffer, plain = ''): string {
  const escaped = [...bytes].map((byte) => {
    const char = String.fromCharCode(byte);
    return /[\w {}[\]":,.+/=&?-]/.test(char) || char === plain
      ? char
      : `\\${byte.toString(8).padStart(3, '0')}`;
  });
  return `'${escaped.join('')}'`;
}
