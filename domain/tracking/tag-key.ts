import { hasTokenShape, plainValue, SECRET_IS_NO_TAG } from '../../base/scanned-text.ts';
import { barcodeKey, namedByBarcode } from '../identity/barcode-key.ts';
import { hasEpcHeader } from '../identity/epc.ts';
import { FNC1 } from '../identity/gs1-elements.ts';
import { keyOf, type Named, namedByEpc, namedByUri } from '../identity/named.ts';
import { isForbiddenInTag, type TagType } from './tag-type.ts';

/**
 * The key by which tags and reads match when no value is exactly equal (docs/tracking.md, Which tag): what the value names in
 * whatever notation, or else its {@link spellingKey}.
 *
 * @returns '' for a value that is unusable because it consists of separators.
 */
export function tagKey(tagType: TagType, value: string): string {
  switch (tagType) {
    case 'rfid':
      return rfidTagKey(rfidKey(value));
    case 'ble':
      return bleKey(value);
    case 'barcode':
      return barcodeKey(value);
  }
}

function rfidTagKey(spelling: string): string {
  return hasEpcHeader(spelling) || URI.test(spelling) ? KEYS_OF_EPCS.of(spelling) : spelling;
}

/** Remembers recent results for texts that recur: up to twice `most` of them. */
class RecentValues {
  readonly #compute: (text: string) => string;
  readonly #most: number;
  #recent = new Map<string, string>();
  #before = new Map<string, string>();

  constructor(most: number, compute: (text: string) => string) {
    this.#most = most;
    this.#compute = compute;
  }

  of(text: string): string {
    const known = this.#recent.get(text);
    if (known !== undefined) {
      return known;
    }
    const value = this.#before.get(text) ?? this.#compute(text);
    if (this.#recent.size >= this.#most) {
      this.#before = this.#recent;
      this.#recent = new Map();
    }
    this.#recent.set(text, value);
    return value;
  }
}

/** A tag is read again and again, and decoding it each time took an eighth of the time of recording. */
const KEYS_OF_EPCS = new RecentValues(10_000, (spelling) => {
  const named = namedByRfid(spelling);
  return named === null ? spelling : keyOf(named);
});

/** Of an EPC, or a GS1 Digital Link, as EPCIS events name things. */
const URI = /^(?:urn:|https?:)/i;

function namedByRfid(spelling: string): Named | null {
  return URI.test(spelling) ? (namedByUri(spelling) ?? namedByBarcode(spelling)) : namedByEpc(spelling);
}

/** The thing that a value names by GS1's standards; null for any other value. */
export function namedBy(tagType: TagType, value: string): Named | null {
  switch (tagType) {
    case 'rfid':
      return namedByRfid(rfidKey(value));
    case 'ble':
      return null;
    case 'barcode':
      return namedByBarcode(value);
  }
}

/**
 * A key that ignores separators, case and, for RFID, leading zeros. Values with one spelling key have one tag key, but for
 * barcodes: a scanner that leaves FNC1 out makes another code of a GS1 code, and both are found by this key.
 */
function spellingKey(tagType: TagType, value: string): string {
  switch (tagType) {
    case 'rfid':
      return rfidKey(value);
    case 'ble':
      return bleKey(value);
    case 'barcode':
      return plainValue(value);
  }
}

function keysOf(tagType: TagType, value: string): { spelling: string; key: string } {
  const spelling = spellingKey(tagType, value);
  return {
    spelling,
    key: tagType === 'rfid' ? rfidTagKey(spelling) : tagType === 'ble' ? spelling : barcodeKey(value),
  };
}

/**
 * The keys of a stored tag. `normal` is its tag key, null where `spelling` is: tags that another version attached have none
 * until it is added (`renew-keys.ts`).
 */
export function storedKeys(tagType: TagType, value: string): { spelling: string; normal: string | null } {
  const { spelling, key } = keysOf(tagType, value);
  const own = key || value;
  return { spelling: spelling || value, normal: own === (spelling || value) ? null : own };
}

/** The stored keys that tags with the key of a value may have; null where it cannot be the key of any. */
interface SoughtKeys {
  normal: string | null;
  spelling: string | null;
  /** For tags whose normal key is still missing, and for barcodes as they are without FNC1. */
  otherSpelling: string | null;
}

export function soughtKeys(tagType: TagType, value: string): SoughtKeys {
  const { spelling, key } = keysOf(tagType, value);
  if (isGs1Key(key)) {
    return tagType === 'barcode'
      ? { normal: key, spelling: null, otherSpelling: spelling }
      : { normal: key, spelling, otherSpelling: null };
  }
  const isNormal = tagType === 'barcode';
  return { normal: isNormal ? key : null, spelling: key, otherSpelling: key === spelling ? null : spelling };
}

/** Whether a matching key is that of a thing that all kinds of tags can name. */
function isGs1Key(key: string): boolean {
  return key.startsWith(FNC1);
}

/** Equal for tags that are the same: what GS1 names is, whatever the kind of its tag; anything else only of one kind. */
export function sameTagKey(tagType: TagType, value: string): string {
  const key = tagKey(tagType, value);
  return isGs1Key(key) ? key : `${tagType}:${key}`;
}

/** Null if a tag can have this value. */
export function whyUnusable({ tagType, value }: { tagType: TagType; value: string }): string | null {
  if (hasTokenShape(value)) {
    return SECRET_IS_NO_TAG;
  }
  if (isForbiddenInTag(tagType, value)) {
    return `value ${JSON.stringify(value)} has a control character, which only barcodes may have (FNC1)`;
  }
  return isBlank(tagType, value) ? `value ${JSON.stringify(value)} consists of separators only` : null;
}

function isBlank(tagType: TagType, value: string): boolean {
  return tagType === 'barcode'
    ? !/^[A-Za-z0-9]/.test(value) && barcodeKey(value) === ''
    : spellingKey(tagType, value) === '';
}

const SEPARATORS = /[:\-\s]/g;
const HEX = /^[0-9A-Fa-f]+$/;

/** A key already, as most readers send it. */
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
