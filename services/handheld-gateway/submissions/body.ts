import { arrayOf, decimal, externalKey, type Field } from '../../../base/checks/fields.ts';
import { id } from '../../../base/checks/id-field.ts';
import {
  accepted,
  type Checked,
  type FieldIssue,
  invalidValue,
  refused,
} from '../../../base/checks/issues.ts';
import { mandatory, nullable, optional, type Values } from '../../../base/checks/members.ts';
import { objectField } from '../../../base/checks/object-field.ts';
import { timestamp } from '../../../base/checks/time-field.ts';
import { NEW_TAG } from '../../../domain/master-data/tags/new-tag.ts';
import { type Body, checkedBody, jsonBody } from '../../../platform/http/body.ts';
import type { NamedLocation, Submission, SubmittedScan } from '../recording/submission.ts';
import { usableTag } from '../wire/tag.ts';

/** Canonical ULIDs: upper case, and within range. */
const ULID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

export const ULID_SCHEMA = { type: 'string', pattern: ULID.source } as const;

const submissionId: Field<string> = {
  schema: { ...ULID_SCHEMA, description: 'A ULID made by the device, one for each submission.' },
  mismatch: (value) => (typeof value === 'string' ? null : ''),
  read: (value, name) =>
    ULID.test(value as string)
      ? accepted(value as string)
      : refused(invalidValue(name, 'must be a ULID in upper case')),
};

/** dBm; wide enough for devices that use other units, so that none loses its scans. */
const rssi = decimal({ min: -1000, max: 1000 });

const SCAN_MEMBERS = { ...NEW_TAG, observed_at: mandatory(timestamp), rssi: nullable(rssi) };

const scan: Field<SubmittedScan> = objectField(SCAN_MEMBERS, toScan, {
  title: 'NewScan',
  description: 'A scan of a tag, by the clock of the device. `rssi` is in dBm.',
  example: {
    tag_type: 'rfid',
    value: 'E28011600000020912345678',
    observed_at: '2026-05-04T07:59:58.250Z',
    rssi: -54,
  },
});

function toScan(values: Values<typeof SCAN_MEMBERS>, name: string): Checked<SubmittedScan> {
  const tag = usableTag(values, `${name}.value`);
  return tag.ok ? accepted({ ...tag.value, observedAt: values.observed_at, rssi: values.rssi ?? null }) : tag;
}

const tag = objectField(NEW_TAG, (values, name) => usableTag(values, `${name}.value`), {
  title: 'NamedTag',
  description: 'A tag of the location.',
});

const LOCATION_MEMBERS = { id: optional(id), external_key: optional(externalKey), tag: optional(tag) };

const location = exactlyOne(
  objectField(LOCATION_MEMBERS, toLocation, {
    title: 'NamedLocation',
    description: 'Where the device is until it scans the tag of a location: one of three ways to name that.',
    example: { external_key: 'DOCK-1' },
  }),
);

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

const MEMBERS = {
  submission_id: mandatory(submissionId),
  sent_at: mandatory(timestamp),
  location: nullable(location),
  scans: mandatory(arrayOf(scan, { min: 1, max: 1_000 })),
};

/** docs/handhelds.md */
export const submissionBody: Body<Submission> = checkedBody(
  jsonBody(MEMBERS, {
    title: 'NewSubmission',
    description:
      'Scans in the order in which they were made. What `sent_at` differs from the clock of the gateway is added to every `observed_at`.',
    example: {
      submission_id: '01KQSB3M8R0E5T9V2W4X6Y8Z1A',
      sent_at: '2026-05-04T08:00:10.000Z',
      location: { external_key: 'DOCK-1' },
      scans: [
        {
          tag_type: 'rfid',
          value: 'E28011600000020912345678',
          observed_at: '2026-05-04T07:59:58.250Z',
          rssi: -54,
        },
      ],
    },
  }),
  ({ submission_id, sent_at, location: named, scans }) =>
    accepted({ id: submission_id, sentAt: sent_at, location: named ?? null, scans }),
);
