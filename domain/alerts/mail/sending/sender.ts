/** Whom e-mail is from, as its header says it. */
export interface Sender {
  name: string;
  address: string;
}

const NAMED = /^(?<name>[^<>"\p{Cc}]{0,200})<(?<address>[^<>\s]+)>$/u;

/** Reads MAIL_FROM: an address, or a name with one: `Tracking <alerts@example.com>`. @returns undefined for anything else. */
export function parseSender(text: string): Sender | undefined {
  const { name = '', address = text } = NAMED.exec(text.trim())?.groups ?? {};
  return isAddress(address) ? { name: name.trim(), address } : undefined;
}

/** Deliberately loose: the mail server judges the rest. */
export function isAddress(text: string): boolean {
  return /^[^\s@<>,;:"\\\p{Cc}]{1,64}@[^\s@<>,;:"\\\p{Cc}]{1,189}$/u.test(text);
}
