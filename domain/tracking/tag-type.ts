/** Contract 2.4. New types are added here and nowhere else. */
export const TAG_TYPES = ['rfid', 'ble', 'barcode'] as const;

export type TagType = (typeof TAG_TYPES)[number];

export function isTagType(value: unknown): value is TagType {
  return TAG_TYPES.some((tagType) => tagType === value);
}

/** Contract 2.4: C0 controls other than TAB, LF and CR, and DEL. Barcodes may have FNC1, which tells GS1 elements apart. */
export function isForbiddenInTag(tagType: TagType, value: string): boolean {
  return FORBIDDEN_IN_TAG_VALUE.test(value) || (tagType !== 'barcode' && value.includes('\u001d'));
}

/** In tags of any kind. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
export const FORBIDDEN_IN_TAG_VALUE = /[\u0000-\u0008\u000b\u000c\u000e-\u001c\u001e\u001f\u007f]/;
