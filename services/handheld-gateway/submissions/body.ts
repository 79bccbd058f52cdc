import { arrayOf, decimal, type Field, flag } from '../../../base/checks/fields.ts';
import { accepted, type Checked } from '../../../base/checks/issues.ts';
import { mandatory, nullable, objectField, type Values } from '../../../base/checks/members.ts';
import { NEW_TAG } from '../../../domain/master-data/tags/new-tag.ts';
import { type Body, checkedBody, jsonBody } from '../../../platform/http/body.ts';
import { MOST_SCANS, type Submission, type SubmittedScan } from '../recording/submission.ts';
import { deviceClock, deviceTime, namedLocation, ulidField, usableTag } from '../wire/fields.ts';

/** Wide enough for anything devices send, so that no scan is lost; impossible levels are recorded as none. */
const rssi = decimal({ min: -1000, max: 1000 });

const SCAN_MEMBERS = {
  ...NEW_TAG,
  observed_at: mandatory(deviceTime),
  rssi: nullable(rssi),
  guessed: nullable(flag),
};

const scan: Field<SubmittedScan> = objectField(SCAN_MEMBERS, toScan, {
  title: 'NewScan',
  description:
    'A scan of a tag, by the clock of the device. `rssi` is in dBm, more than -150 and less than 0; others are taken for none. `guessed`: the device guessed `tag_type`; if no tag of this kind has the value, but tags of exactly one other kind do, it is that kind. Default: false.',
  example: {
    tag_type: 'rfid',
    value: 'E28011600000020912345678',
    observed_at: '2026-05-04T07:59:58.250Z',
    rssi: -54,
  },
});

function toScan(values: Values<typeof SCAN_MEMBERS>, name: string): Checked<SubmittedScan> {
  const tag = usableTag(values, `${name}.value`);
  const { observed_at: observedAt, rssi = null, guessed } = values;
  return tag.ok ? accepted({ ...tag.value, observedAt, rssi, guessed: guessed ?? false }) : tag;
}

const location = namedLocation(
  'NamedLocation',
  'Where the device is until it scans the tag of a location: one of three ways to name that.',
);

const MEMBERS = {
  submission_id: mandatory(ulidField('A ULID made by the device, one for each submission.')),
  sent_at: mandatory(deviceClock),
  location: nullable(location),
  scans: mandatory(arrayOf(scan, { min: 1, max: MOST_SCANS })),
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
