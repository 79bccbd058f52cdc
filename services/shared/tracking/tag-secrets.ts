/**
 * What an API key (`tt_<id>_<secret>`) and a handheld's token (`th_<id>_<secret>`) look like, wherever in a text they
 * stand and whatever the case that a scanner types in; also where the end of the secret is missing.
 *
 * Such a value is a secret that was scanned or sent by mistake: as a tag it is unusable, and it is neither stored nor
 * shown.
 */
const TOKEN = /(t[th]_[0-9a-z]{1,26}_)[\w-]{20,}/i;
const ALL_TOKENS = new RegExp(TOKEN, 'gi');

export function hasTokenShape(text: string): boolean {
  // Most values hold no underscore at all, which is quick to see.
  return text.includes('_') && TOKEN.test(text);
}

/** The text with each secret's place taken by three asterisks. */
export function withoutTokens(text: string): string {
  return text.replace(ALL_TOKENS, '$1***');
}
