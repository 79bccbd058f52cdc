/** Contract 2.4. New types are added here and nowhere else. */
export const TAG_TYPES = ['rfid', 'ble', 'barcode'] as const;

export type TagType = (typeof TAG_TYPES)[number];

export function isTagType(value: unknown): value is TagType {
  return TAG_TYPES.some((tagType) => tagType === value);
}

/** Contract 2.4: C0 controls other than TAB, LF and CR, and DEL. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
export const FORBIDDEN_IN_TAG_VALUE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/;
