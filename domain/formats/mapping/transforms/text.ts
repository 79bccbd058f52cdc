import { readCode } from '../../../../base/scanned-text.ts';
import { MAX_TEXT } from '../values/limits.ts';

const HEX = /^[0-9A-Fa-f]+$/;
const MAC = /^[0-9A-F]{12}$/;
const SEPARATORS = /[\s:.-]/g;
const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}$/;

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.length <= MAX_TEXT ? value : undefined;
}

/** Bytes, each as a number, to hex digits. */
function hexOfBytes(bytes: readonly unknown[]): string | undefined {
  const isBytes =
    bytes.length > 0 &&
    bytes.length <= MAX_TEXT &&
    bytes.every((byte) => typeof byte === 'number' && Number.isInteger(byte) && byte >= 0 && byte <= 0xff);
  return isBytes
    ? Buffer.from(bytes as number[])
        .toString('hex')
        .toUpperCase()
    : undefined;
}

export function reverseBytes(value: unknown): string | undefined {
  const digits = hex(value);
  return digits === undefined || digits.length % 2 !== 0
    ? undefined
    : Buffer.from(digits, 'hex').reverse().toString('hex').toUpperCase();
}

/** Upper-case hex digits, also of a list of bytes, without blanks, `:`, `.` and `-`; leading zeros stay. */
export function hex(value: unknown): string | undefined {
  if (Array.isArray(value)) {
    return hexOfBytes(value);
  }
  const text = textOf(value);
  if (text === undefined) {
    return undefined;
  }
  const digits = HEX.test(text) ? text : text.replace(SEPARATORS, '');
  return HEX.test(digits) ? digits.toUpperCase() : undefined;
}

export function mac(value: unknown): string | undefined {
  const digits = hex(value);
  return digits !== undefined && MAC.test(digits) ? digits : undefined;
}

/** Decodes base64 or base64url, padded or not, to upper-case hex digits. */
export function base64ToHex(value: unknown): string | undefined {
  const text = textOf(value);
  // Node.js's decoder skips invalid characters, so they must be detected first.
  if (text === undefined || !BASE64.test(text) || text.replace(/={1,2}$/, '').length % 4 === 1) {
    return undefined;
  }
  return Buffer.from(text, 'base64').toString('hex').toUpperCase();
}

/** A code as the handheld app reads it: one label, one value. */
export function code(value: unknown): string | undefined {
  const text = textOf(value);
  return text === undefined ? undefined : readCode(text);
}

export function upper(value: unknown): string | undefined {
  return textOf(value)?.toUpperCase();
}

/** `length` UTF-16 units from `start`, or all but the last `-length`, or all; undefined if the text is too short. */
export function substring(start: number, length?: number) {
  return (value: unknown): string | undefined => {
    const text = textOf(value);
    if (text === undefined) {
      return undefined;
    }
    if (length === undefined) {
      return start < text.length ? text.slice(start) : undefined;
    }
    const end = length < 0 ? text.length + length : start + length;
    return end <= text.length && (end > start || length === 0) ? text.slice(start, end) : undefined;
  };
}
