import { hasTokenShape, SECRET_IS_NO_TAG } from '../../base/tag-secrets.ts';
import type { TagType } from './tag-type.ts';

/**
 * The key by which tags and reads match when no value is exactly equal: it ignores separators, case and, for RFID,
 * leading zeros (docs/tracking.md, Which tag).
 *
 * @returns '' for a value that is unusable because it consists of separators.
 */
export function tagKey(tagType: TagType, value: string): string {
  switch (tagType) {
    case 'rfid':
      return rfidKey(value);
    case 'ble':
      return bleKey(value);
    case 'barcode':
      return value;
  }
}

/** Null if a tag can have this value. */
export function whyUnusable({ tagType, value }: { tagType: TagType; value: string }): string | null {
  if (hasTokenShape(value)) {
    return SECRET_IS_NO_TAG;
  }
  return tagKey(tagType, value) === '' ? `value ${JSON.stringify(value)} consists of separators only` : null;
}

const SEPARATORS = /[:\-\s]/g;
const HEX = /^[0-9A-Fa-f]+$/;

/** As most readers send it: a key already. */
const RFID_KEY = /^[1-9A-F][0-9A-F]*$/;

function rfidKey(value: string): string {
  if (RFID_KEY.test(value)) {
    return value;
  }
  const digits = value.replace(SEPARATORS, '');
  if (!HEX.test(digits)) {
    return digits === '' ? '' : value;
  }
  return digits.toUpperCase().replace(/^0+(?=.)/, '');
}

/** Leading zeros count: a MAC has 12 digits, an Eddystone UID 32, the UUID of an iBeacon too. */
function bleKey(value: string): string {
  const iBeacon = IBEACON.exec(value);
  if (iBeacon !== null) {
    const [, uuid = '', major = '', minor = ''] = iBeacon;
    const digits = uuid.replaceAll('-', '');
    if (digits.length === 32) {
      return `${digits.toUpperCase()}:${Number(major)}:${Number(minor)}`;
    }
  }
  const digits = value.replace(SEPARATORS, '');
  if (HEX.test(digits) && (digits.length === 12 || digits.length === 32)) {
    return digits.toUpperCase();
  }
  return digits === '' ? '' : value;
}

/** `uuid:major:minor`. The key keeps the colons, or `U:1:23` and `U:12:3` would be equal. */
const IBEACON = /^([0-9A-Fa-f-]{32,36}):(\d{1,5}):(\d{1,5})$/;
