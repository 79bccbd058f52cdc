import { hasTokenShape, SECRET_IS_NO_TAG } from '../../base/tag-secrets.ts';
import type { TagType } from './tag-type.ts';

/**
 * What a tag and a read of it are matched by when no value is equal to the letter: the same identifier written
 * with other separators, in the other case or, for RFID, with other leading zeros has the same key.
 *
 * @returns the key, or '' if the value is unusable because nothing but separators is in it.
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

/** Why a value that was read can be of no tag, or null. */
export function whyUnusable({ tagType, value }: { tagType: TagType; value: string }): string | null {
  if (hasTokenShape(value)) {
    return SECRET_IS_NO_TAG;
  }
  return tagKey(tagType, value) === '' ? `value ${JSON.stringify(value)} has nothing but separators` : null;
}

const SEPARATORS = /[:\-\s]/g;
const HEX = /^[0-9A-Fa-f]+$/;

/** What most readers send: nothing is left to be done to it. */
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

/** Zeros count in these: a MAC has twelve digits, an Eddystone UID thirty-two, an iBeacon's UUID too. */
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

/** `uuid:major:minor`; the separators stay in the key, or `U:1:23` and `U:12:3` would be one. */
const IBEACON = /^([0-9A-Fa-f-]{32,36}):(\d{1,5}):(\d{1,5})$/;
