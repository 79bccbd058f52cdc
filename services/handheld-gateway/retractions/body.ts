import { arrayOf, integer } from '../../../base/checks/fields.ts';
import { accepted } from '../../../base/checks/issues.ts';
import { mandatory } from '../../../base/checks/members.ts';
import { type Body, checkedBody, jsonBody } from '../../../platform/http/body.ts';
import type { SentRetraction } from '../recording/retractor.ts';
import { MOST_SCANS } from '../recording/submission.ts';
import { ulidField } from '../wire/fields.ts';

const INDEX = { type: 'integer', minimum: 0, maximum: MOST_SCANS - 1 };

const MEMBERS = {
  retraction_id: mandatory(ulidField('A ULID made by the device, one for each retraction.')),
  submission_id: mandatory(ulidField('The submission that the scans were sent in.')),
  indexes: mandatory(arrayOf(integer({ min: 0, max: MOST_SCANS - 1 }, INDEX), { min: 1, max: MOST_SCANS })),
};

/** docs/handhelds.md */
export const retractionBody: Body<SentRetraction> = checkedBody(
  jsonBody(MEMBERS, {
    title: 'NewRetraction',
    description: 'Scans of a submission that are taken back, by their indexes in it, from 0.',
    example: {
      retraction_id: '01KQSB4N9S1F6VAW3X5Y7Z9A2B',
      submission_id: '01KQSB3M8R0E5T9V2W4X6Y8Z1A',
      indexes: [0],
    },
  }),
  ({ retraction_id, submission_id, indexes }) =>
    accepted({ id: retraction_id, submissionId: submission_id, indexes }),
);
