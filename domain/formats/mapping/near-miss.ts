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
/** In an element of a list a device is one that was heard. */
const HEARD = /^device_?(?:mac|addr(?:ess)?)$/i;
/** The EUI of a LoRaWAN device, which is what is read there: hex digits, also only decimal ones, or base64. */
const DEVICE_EUI = /^(?:dev_?eui|hardware_serial)$/i;
const OF_DEVICE = /^(?:device_?info|(?:end_)?device_ids)$/i;
const EUI = /^(?:[0-9A-Fa-f]{2}-?){7}[0-9A-Fa-f]{2}$|^[\w+/-]{10}[AEIMQUYcgkosw048]=$/;
/** In base64, of at least 64 bits. */
const EPC = /^[\w+/-]{11,88}={0,2}$/;
const BYTES_OF_EPC = 4;
/** Letters of an address, and of the beginning of an EPC as a URI. */
const SHORTEST = 12;
const SEPARATORS = /[:-]/g;

interface Sender {
  reader: string | null;
  isDevice: boolean;
  isInList?: boolean;
}

/**
 * The first thing in an ignored value that looks like a tag; null without any. Numbers of 12 or 16 decimal digits are codes of
 * goods and times.
 *
 * @param sender what is no tag: the reader by its own word, and the devices of messages that are known to report no read.
 */
export function tagLikeIn(value: unknown, sender: Sender, member = ''): string | null {
  if (typeof value === 'string') {
    return tagLike(value, sender.reader, member);
  }
  if (Array.isArray(value)) {
    const within = { ...sender, isInList: true };
    return firstOf(value, (each) => tagLikeIn(each, within, member));
  }
  if (typeof value !== 'object' || value === null) {
    return null;
  }
  // The text beside a list is the sender's more often than what it heard.
  return inMembers(value, sender, (each) => typeof each === 'object') ?? inMembers(value, sender, isNoObject);
}

const isNoObject = (value: unknown) => typeof value !== 'object';

function inMembers(object: object, sender: Sender, isMeant: (value: unknown) => boolean): string | null {
  for (const name in object) {
    const each = (object as Record<string, unknown>)[name];
    const isWorthALook = name.length >= SHORTEST || typeof each !== 'number';
    const found =
      isWorthALook && isMeant(each) ? (byName(each, sender, name) ?? inMember(each, sender, name)) : null;
    if (found !== null) {
      return found;
    }
  }
  return null;
}

function inMember(value: unknown, sender: Sender, name: string): string | null {
  return OF_THE_SENDER.test(name) && !Array.isArray(value) && !(sender.isInList && HEARD.test(name))
    ? null
    : (tagLike(name, sender.reader, '') ?? tagLikeIn(value, sender, name));
}

/** What only its name tells from other texts and numbers. */
function byName(value: unknown, sender: Sender, name: string): string | null {
  if (name.length === 3 && /^epc$/i.test(name)) {
    const bytes = Array.isArray(value) && value.length >= BYTES_OF_EPC ? value.slice(0, 12) : null;
    const text = bytes?.every(isNoObject) === true ? bytes.join(' ') : value;
    return typeof text === 'string' && (text !== value || EPC.test(text)) ? printable(text, 100) : null;
  }
  return sender.isDevice ? null : euiIn(value, name);
}

/** In a member, or directly in an object about a device. */
function euiIn(value: unknown, name: string): string | null {
  if (typeof value === 'string') {
    return DEVICE_EUI.test(name) && EUI.test(value) ? value : null;
  }
  if (!OF_DEVICE.test(name) || typeof value !== 'object' || value === null) {
    return null;
  }
  const { devEui, dev_eui: devEUI = devEui } = value as { devEui?: unknown; dev_eui?: unknown };
  return typeof devEUI === 'string' && EUI.test(devEUI) ? devEUI : null;
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
