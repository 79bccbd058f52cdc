import { accepted } from '../../../base/checks/issues.ts';
import { notFound } from '../../../base/errors.ts';
import { FORBIDDEN_IN_TAG_VALUE, TAG_TYPES, type TagType } from '../../../domain/tracking/tag-type.ts';
import type { Parameter } from '../../../platform/http/parameters.ts';

export interface TagName {
  tagType: TagType;
  value: string;
}

/** Values of barcodes may hold tabs and line breaks. */
export const tagNameInPath: Parameter<string> = {
  schema: { type: 'string' },
  isRepeatable: false,
  read: ([name = '']) => accepted(name),
};

/** `rfid:E280...`: unknown tags have no id of their own. @throws AppError `not_found`. */
export function tagNamed(id: string): TagName {
  const end = id.indexOf(':');
  const value = id.slice(end + 1);
  const tagType = TAG_TYPES.find((type) => type === id.slice(0, end));
  if (tagType === undefined || FORBIDDEN_IN_TAG_VALUE.test(value) || !value.isWellFormed()) {
    throw notFound('Unknown tag not found');
  }
  return { tagType, value };
}
