/**
 * The last line of defence: no secret is passed to the log, and what looks like one is masked all the same, wherever in
 * a line it stands. Keys and tokens keep the id they begin with, addresses their user name.
 */
export function maskSecrets(line: string): string {
  return line.replace(CREDENTIAL, '$1***').replace(PASSWORD_IN_URL, '$1***@');
}

/** `tt_<id>_<secret>` of an API key and `th_<id>_<secret>` of a handheld, also where some of the secret is missing. */
const CREDENTIAL = /\b(t[th]_[0-9A-Za-z]{1,26}_)[\w-]{8,}/g;

const PASSWORD_IN_URL = /(:\/\/[^\s:/@"]*:)[^\s/@"]+@/g;
