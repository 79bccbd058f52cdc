/**
 * What an API key (`tt_<id>_<secret>`) and a handheld's token (`th_<id>_<secret>`) look like, wherever in a text they
 * stand and whatever the case that a scanner types in; also where the end of the secret is missing, and where asterisks
 * took its place.
 *
 * Such a value is a secret that was scanned or sent by mistake: as a tag it is unusable, and it is neither stored nor
 * shown.
 */
const TOKEN = /(t[th]_[0-9a-z]{1,26}_)([\w*-]{20,})/i;
const ALL_TOKENS = new RegExp(TOKEN, 'gi');

export function hasTokenShape(text: string): boolean {
  // Most values hold no underscore at all, which is quick to see.
  return text.includes('_') && TOKEN.test(text);
}

/** The text with each secret's characters taken by asterisks: as long as it was, and of the same shape. */
export function withoutTokens(text: string): string {
  return hasTokenShape(text)
    ? text.replace(ALL_TOKENS, (_, id: string, secret: string) => id + '*'.repeat(secret.length))
    : text;
}

/** Why it is no tag, in words that hold nothing of the secret. */
export const SECRET_IS_NO_TAG = 'the value has the shape of an access token or API key, which is no tag';
