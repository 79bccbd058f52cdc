/**
 * Last line of defence: masks everything that looks like a secret anywhere in a line. Keys and tokens keep
 * their id, addresses their user name.
 */
export function maskSecrets(line: string): string {
  return line.replace(CREDENTIAL, '$1***').replace(PASSWORD_IN_URL, '$1***@');
}

/** `tt_<id>_<secret>` (or `tt2_...`) of an API key and `th_<id>_<secret>` of a handheld, truncated ones too. */
const CREDENTIAL = /\b((?:tt\d{0,2}|th)_[0-9A-Za-z]{1,26}_)[\w-]{8,}/g;

const PASSWORD_IN_URL = /(:\/\/[^\s:/@"]*:)[^\s/@"]+@/g;
