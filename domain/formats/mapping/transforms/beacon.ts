import { hex, textOf } from './text.ts';

const HEX_BYTES = /^(?:[0-9A-F]{2})+$/;
/** With colons, or as ESPresense writes it. */
const TRIPLE = /^(?:iBeacon:)?([0-9A-Fa-f-]{32,36})([:-])(\d{1,5})\2(\d{1,5})$/;
const UUID = /^[0-9A-F]{32}$/;

/** Advertising data types (Bluetooth Assigned Numbers, section 2.3). */
const SERVICE_DATA_16_BIT = 0x16;
const MANUFACTURER_DATA = 0xff;
/** Apple's company id, little-endian, then the beacon type and its length. */
const IBEACON_HEADER = '4C000215';
/** Eddystone's service uuid FEAA, little-endian, then the frame type of a UID. */
const EDDYSTONE_UID_HEADER = 'AAFE00';

/**
 * An iBeacon as `UUID:major:minor`, the UUID as 32 upper-case hex digits, the others decimal. From an advertisement
 * in hex digits (whole, or the manufacturer data alone) or from such a triple already put together.
 */
export function ibeacon(value: unknown): string | undefined {
  const triple = TRIPLE.exec(textOf(value) ?? '');
  if (triple !== null) {
    const uuid = triple[1]?.replaceAll('-', '').toUpperCase() ?? '';
    return UUID.test(uuid) ? identity(uuid, Number(triple[3]), Number(triple[4])) : undefined;
  }
  const data = findInAdvertisement(value, MANUFACTURER_DATA, IBEACON_HEADER);
  if (data === undefined || data.length < 48) {
    return undefined;
  }
  return identity(
    data.slice(8, 40),
    Number.parseInt(data.slice(40, 44), 16),
    Number.parseInt(data.slice(44, 48), 16),
  );
}

function identity(uuid: string, major: number, minor: number): string | undefined {
  return major <= 0xffff && minor <= 0xffff ? `${uuid}:${major}:${minor}` : undefined;
}

/**
 * An Eddystone UID as 32 upper-case hex digits (namespace, then instance). From an advertisement in hex digits
 * (whole, or the service data alone) or from those digits, unless they read as a whole advertisement themselves.
 */
export function eddystoneUid(value: unknown): string | undefined {
  const digits = hex(value);
  if (digits !== undefined && UUID.test(digits) && !isAdvertisement(digits)) {
    return digits;
  }
  const data = findInAdvertisement(value, SERVICE_DATA_16_BIT, EDDYSTONE_UID_HEADER);
  // After the header one byte of transmission power, then ten bytes of namespace and six of instance.
  return data !== undefined && data.length >= 40 ? data.slice(8, 40) : undefined;
}

/** True if length-prefixed structures fill the digits exactly. */
function isAdvertisement(digits: string): boolean {
  let at = 0;
  while (at < digits.length) {
    const length = Number.parseInt(digits.slice(at, at + 2), 16);
    if (length === 0) {
      return false;
    }
    at += 2 + length * 2;
  }
  return at === digits.length;
}

function findInAdvertisement(value: unknown, type: number, header: string): string | undefined {
  const digits = hex(value);
  if (digits === undefined || !HEX_BYTES.test(digits)) {
    return undefined;
  }
  if (digits.startsWith(header)) {
    return digits;
  }
  // Each structure: one byte of length, one byte of type, data. A length of zero ends the significant part.
  for (let at = 0; at + 4 <= digits.length; ) {
    const length = Number.parseInt(digits.slice(at, at + 2), 16);
    if (length === 0) {
      return undefined;
    }
    const end = at + 2 + length * 2;
    if (
      Number.parseInt(digits.slice(at + 2, at + 4), 16) === type &&
      digits.startsWith(header, at + 4) &&
      end <= digits.length
    ) {
      return digits.slice(at + 4, end);
    }
    at = end;
  }
  return undefined;
}
