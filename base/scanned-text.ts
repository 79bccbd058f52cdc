/**
 * Matches an API key (`tt_<id>_<secret>`, `tt2_...`) or handheld token (`th_<id>_<secret>`) anywhere in a text, in whatever case a
 * scanner types it; also with a truncated or already masked secret, percent-encoded (`%5F`), or with blanks and line
 * breaks inside.
 *
 * Such a value is a secret scanned or sent by mistake: unusable as a tag, never stored or shown.
 */
const TOKEN = /((?:tt\d{0,2}|th)(?:_|%5f)[0-9a-z]{1,26}(?:_|%5f))((?:[\w*-]|%5f|%2d){20,})/i;
const ALL_TOKENS = new RegExp(TOKEN, 'gi');
const BLANKS = /[\s\p{Cc}\p{Cf}]+/gu;
/** Characters of a whole secret: 32 bytes in base64url. */
const SECRET_LENGTH = 43;
/** Longer texts are messages, where blanks separate words. */
const LONGEST_VALUE = 400;

export function hasTokenShape(text: string): boolean {
  // Most values hold no underscore at all, which is quick to see.
  return (text.includes('_') || text.includes('%')) && (TOKEN.test(text) || hasBlanksInToken(text));
}

export function withoutTokens(text: string): string {
  if (!hasTokenShape(text)) {
    return text;
  }
  return hasBlanksInToken(text)
    ? '*'.repeat(text.length)
    : text.replace(ALL_TOKENS, (_, id: string, secret: string) => id + '*'.repeat(secret.length));
}

export function hasBlanksInToken(text: string): boolean {
  if (text.length > LONGEST_VALUE) {
    return false;
  }
  const joined = text.replace(BLANKS, '');
  const heard = secretLength(text);
  return joined.length < text.length && heard < SECRET_LENGTH && secretLength(joined) > heard;
}

function secretLength(text: string): number {
  return TOKEN.exec(text)?.[2]?.length ?? 0;
}

export const SECRET_IS_NO_TAG = 'the value has the shape of an access token or API key, which is no tag';

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
