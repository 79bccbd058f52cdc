import type { JsonSchema } from '../../../base/checks/fields.ts';
import { TIME_SCHEMA } from '../../../base/checks/time-field.ts';
import { RETRACTED_STATUSES } from '../../../domain/tracking/retractions/retraction.ts';
import { ULID_SCHEMA } from '../wire/ulid.ts';

const RESULT: JsonSchema = {
  title: 'RetractedScan',
  description: 'What became of a scan that is taken back.',
  type: 'object',
  properties: {
    index: { type: 'integer', minimum: 0, description: 'Its index in the submission.' },
    status: {
      type: 'string',
      'x-extensible-enum': RETRACTED_STATUSES,
      description:
        '`retracted`: it is taken back, and histories are as if it had never been made. `waiting`: the submission has not been received yet; when it is, the scan is recorded as taken back. `not_recorded`: there was nothing to take back, as for the tag of a location or an unknown one. More may come.',
    },
  },
  required: ['index', 'status'],
  examples: [{ index: 0, status: 'retracted' }],
};

/** docs/handhelds.md */
export const RETRACTION: JsonSchema = {
  title: 'Retraction',
  description: 'What became of a retraction.',
  type: 'object',
  properties: {
    retraction_id: { ...ULID_SCHEMA, description: 'As it was sent.' },
    submission_id: { ...ULID_SCHEMA, description: 'As it was sent.' },
    received_at: { ...TIME_SCHEMA, description: 'When it was received, the first time.' },
    results: { type: 'array', items: RESULT, description: 'One for each index, ascending.' },
  },
  required: ['retraction_id', 'submission_id', 'received_at', 'results'],
  examples: [
    {
      retraction_id: '01KQSB4N9S1F6VAW3X5Y7Z9A2B',
      submission_id: '01KQSB3M8R0E5T9V2W4X6Y8Z1A',
      received_at: '2026-05-04T08:01:02.500Z',
      results: [{ index: 0, status: 'retracted' }],
    },
  ],
};
