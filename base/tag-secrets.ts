/**
 * What an API key (`tt_<id>_<secret>`) and a handheld's token (`th_<id>_<secret>`) look like, wherever in a text they
 * stand and whatever the case that a scanner types in; also where the end of the secret is missing, where asterisks took
 * its place, with signs written as in a URL (`%5F`), and with blanks or line breaks in it.
 *
 * Such a value is a secret that was scanned or sent by mistake: as a tag it is unusable, and it is neither stored nor
 * shown.
 */
const TOKEN = /(t[th](?:_|%5f)[0-9a-z]{1,26}(?:_|%5f))((?:[\w*-]|%5f|%2d){20,})/i;
const ALL_TOKENS = new RegExp(TOKEN, 'gi');
const BLANKS = /[\s\p{Cc}\p{Cf}]+/gu;
/** Whole ones have as many characters: 32 bytes in base64url. */
const SECRET_LENGTH = 43;
/** Longer texts are messages, in which blanks stand between words. */
const LONGEST_VALUE = 400;

export function hasTokenShape(text: string): boolean {
  // Most values hold no underscore at all, which is quick to see.
  return (text.includes('_') || text.includes('%')) && (TOKEN.test(text) || hasBlanksInToken(text));
}

/** The text with each secret's characters taken by asterisks: as long as it was, and of the same shape. */
export function withoutTokens(text: string): string {
  if (!hasTokenShape(text)) {
    return text;
  }
  return hasBlanksInToken(text)
    ? '*'.repeat(text.length)
    : text.replace(ALL_TOKENS, (_, id: string, secret: string) => id + '*'.repeat(secret.length));
}

/** Whether there is more of a secret in a value without its blanks. */
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

/** Why it is no tag, in words that hold nothing of the secret. */
export const SECRET_IS_NO_TAG = 'the value has the shape of an access token or API key, which is no tag';
