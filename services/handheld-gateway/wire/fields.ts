import { exceptSentinels, externalKey, type Field, id, instant } from '../../../base/checks/fields.ts';
import {
  accepted,
  type Checked,
  type FieldIssue,
  foreignKeyNotFound,
  type Invalid,
  invalid,
  invalidValue,
  refused,
} from '../../../base/checks/issues.ts';
import { objectField, optional, type Values } from '../../../base/checks/members.ts';
import { withoutTokens } from '../../../base/scanned-text.ts';
import { NEW_TAG, permittedTag } from '../../../domain/master-data/tags/new-tag.ts';
import { tagKey } from '../../../domain/tracking/tag-key.ts';
import type { TagType } from '../../../domain/tracking/tag-type.ts';

export interface ReadTag {
  tagType: TagType;
  value: string;
}

/** Refuses a value of separators only, too: it has no key to be matched by. @param name of the value's field. */
export function usableTag(values: Values<typeof NEW_TAG>, name: string): Checked<ReadTag> {
  const tag = permittedTag(values, name);
  return tag.ok && tagKey(tag.value.tagType, tag.value.value) === ''
    ? refused(invalidValue(name, 'must have more in it than separators'))
    : tag;
}

/**
 * The time of an event by the device's clock. A clock that was never set is accepted, too: nobody knows better, and the
 * time of reception counts instead.
 */
export const deviceTime = instant;

/** The device's clock at sending. A wrong clock is fine; a constant would misdate everything. */
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

export type NamedLocation = { id: number } | { externalKey: string } | { tag: ReadTag };

const tag = objectField(NEW_TAG, (values, name) => usableTag(values, `${name}.value`), {
  title: 'NamedTag',
  description: 'A tag of the location.',
});

const LOCATION_MEMBERS = { id: optional(id), external_key: optional(externalKey), tag: optional(tag) };

export function namedLocation(title: string, description: string): Field<NamedLocation> {
  const told = { title, description, example: { external_key: 'DOCK-1' } };
  return exactlyOne(objectField(LOCATION_MEMBERS, toLocation, told));
}

function exactlyOne<T>(field: Field<T>): Field<T> {
  return { ...field, schema: { ...field.schema, minProperties: 1, maxProperties: 1 } };
}

function toLocation(values: Values<typeof LOCATION_MEMBERS>, name: string): Checked<NamedLocation> {
  const { id: byId, external_key: byKey, tag: byTag } = values;
  const named: NamedLocation[] = [
    ...(byId === undefined ? [] : [{ id: byId }]),
    ...(byKey === undefined ? [] : [{ externalKey: byKey }]),
    ...(byTag === undefined ? [] : [{ tag: byTag }]),
  ];
  const [first, ...others] = named;
  if (first === undefined) {
    return refused(invalidValue(name, 'must have one of id, external_key and tag'));
  }
  return others.length === 0 ? accepted(first) : refused(...exclusive(values, name));
}

function exclusive(values: Values<typeof LOCATION_MEMBERS>, name: string): FieldIssue[] {
  const message = `${name}.id, ${name}.external_key and ${name}.tag are mutually exclusive; supply exactly one`;
  return Object.entries(values)
    .filter(([, value]) => value !== undefined)
    .map(([key]) => ({ field: `${name}.${key}`, code: 'ambiguous_fields', message }));
}

/** For digests of bodies: the same whichever way the body was written. */
export function partsOfLocation(location: NamedLocation): unknown[] {
  if ('tag' in location) {
    return ['tag', location.tag.tagType, location.tag.value];
  }
  return 'id' in location ? ['id', location.id] : ['external_key', location.externalKey];
}

export function noSuchLocation(location: NamedLocation): Invalid {
  if ('tag' in location) {
    const { tagType, value } = location.tag;
    return invalid([foreignKeyNotFound('location.tag', `${tagType}:${withoutTokens(value)}`)]);
  }
  return invalid([
    'id' in location
      ? foreignKeyNotFound('location.id', location.id)
      : foreignKeyNotFound('location.external_key', location.externalKey),
  ]);
}
