import { exceptSentinels, type Field, instant } from '../../../base/checks/fields.ts';
import { accepted, type Checked, invalidValue, refused } from '../../../base/checks/issues.ts';
import type { Values } from '../../../base/checks/members.ts';
import type { NEW_TAG } from '../../../domain/master-data/tags/new-tag.ts';
import { tagKey } from '../../../domain/tracking/tag-key.ts';
import type { TagType } from '../../../domain/tracking/tag-type.ts';

export interface ReadTag {
  tagType: TagType;
  value: string;
}

/** Refuses a value of separators only: it has no key to be matched by. @param name of the value's field. */
export function usableTag({ tag_type, value }: Values<typeof NEW_TAG>, name: string): Checked<ReadTag> {
  return tagKey(tag_type, value) === ''
    ? refused(invalidValue(name, 'must have more in it than separators'))
    : accepted({ tagType: tag_type, value });
}

/**
 * When something was, by the device's clock. What a clock that was never set says is taken, too: nobody can say it better
 * any more, and the time of reception counts instead.
 */
export const deviceTime = instant;

/** The device's clock as it sends. A wrong clock is as good as a right one; a constant would misdate everything. */
export const deviceClock = exceptSentinels(
  (sentinel) =>
    `must be what the device's clock shows at this attempt to send, not ${sentinel}, which programs send when they ` +
    'have no time; a wrong clock will do, as long as it runs, and may be set before the next attempt',
);

/** Canonical ULIDs: upper case, and within range. */
const ULID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

export const ULID_SCHEMA = { type: 'string', pattern: ULID.source } as const;

export function ulidField(description: string): Field<string> {
  return {
    schema: { ...ULID_SCHEMA, description },
    mismatch: (value) => (typeof value === 'string' ? null : ''),
    read: (value, name) =>
      ULID.test(value as string)
        ? accepted(value as string)
        : refused(invalidValue(name, 'must be a ULID in upper case')),
  };
}
