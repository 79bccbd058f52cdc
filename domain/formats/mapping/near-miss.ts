import { MAX_TEXT } from './values/limits.ts';
import { printable } from './values/printable.ts';

/**
 * Fixed lengths, so that the search is linear: an address, an EPC or UUID in hex, an EPC as a URI (of an item, not a
 * class).
 */
const TAG_LIKE =
  /(?<![0-9A-Za-z-])(?:(?:[0-9A-Fa-f]{2}[:-]){5}[0-9A-Fa-f]{2}|[0-9A-Fa-f]{32}|[0-9A-Fa-f]{24}|[0-9A-Fa-f]{16}|[0-9A-Fa-f]{12})(?![0-9A-Za-z-])|urn:epc:(?!class|idpat)[\w.:-]{1,80}/;
const UUID = /^[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$/;
const DECIMAL = /^\d+$/;

/** Members that say who sends, name a request, or are keys to join a network. Lists are of what was heard, whatever their name. */
const OF_THE_SENDER = /^(?:gw|gateway|reader|reporter|device|dev_|host|mac_?addr|join_?eui)/i;
/** Letters of an address, and of the beginning of an EPC as a URI. */
const SHORTEST = 12;
const SEPARATORS = /[:-]/g;

/**
 * The first thing in an ignored value that looks like a tag; null without any. Numbers of 12 or 16 decimal digits are codes of
 * goods and times.
 *
 * @param own the reader by its own word, which is no tag.
 */
export function tagLikeIn(value: unknown, own: string | null, member = ''): string | null {
  if (typeof value === 'string') {
    return tagLike(value, own, member);
  }
  if (Array.isArray(value)) {
    return firstOf(value, (each) => tagLikeIn(each, own, member));
  }
  if (typeof value !== 'object' || value === null) {
    return null;
  }
  for (const name in value) {
    const each = (value as Record<string, unknown>)[name];
    const isWorthALook = name.length >= SHORTEST || typeof each === 'string' || typeof each === 'object';
    if (isWorthALook && (Array.isArray(each) || !OF_THE_SENDER.test(name))) {
      const found = tagLike(name, own, '') ?? tagLikeIn(each, own, name);
      if (found !== null) {
        return found;
      }
    }
  }
  return null;
}

function firstOf<T>(all: readonly T[], look: (each: T) => string | null): string | null {
  for (const each of all) {
    const found = look(each);
    if (found !== null) {
      return found;
    }
  }
  return null;
}

function tagLike(text: string, own: string | null, member: string): string | null {
  if (text.length < SHORTEST || text.length > MAX_TEXT) {
    return null;
  }
  if (/uuid/i.test(member) && UUID.test(text)) {
    return text;
  }
  const found = TAG_LIKE.exec(text)?.[0];
  if (found === undefined || (DECIMAL.test(found) && found.length !== 24) || isSame(found, own)) {
    return null;
  }
  return printable(found, 100);
}

function isSame(found: string, own: string | null): boolean {
  return (
    own !== null && found.replace(SEPARATORS, '').toLowerCase() === own.replace(SEPARATORS, '').toLowerCase()
  );
}
