import type { JsonSchema } from '../../../base/checks/fields.ts';
import { TIME_SCHEMA } from '../../../base/checks/fields.ts';
import { RETRACTED_STATUSES } from '../../../domain/tracking/retractions/retraction.ts';
import { doneOnce } from '../../../platform/http/success.ts';
import { route } from '../serving/context.ts';
import { ULID_SCHEMA } from '../wire/fields.ts';
import { retractionBody } from './body.ts';

const RESULT: JsonSchema = {
  title: 'RetractedScan',
  description: 'The outcome for a scan.',
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
const RETRACTION: JsonSchema = {
  title: 'Retraction',
  description: 'The outcome of a retraction.',
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

const retract = route({
  method: 'POST',
  path: '/handheld/v1/retractions',
  operationId: 'retractScans',
  summary: 'Take scans back',
  description:
    'Takes back scans of a submission of this handheld: histories and current locations become what they would be without them. The scans stay recorded, so the submission sent again is still a repetition. A retraction may come before its submission. Carried out as a whole or not at all, and answered when it is committed; sent again, with the same id and body, it gets the same answer.',
  scope: null,
  body: retractionBody,
  success: doneOnce(RETRACTION, 'The outcome for each scan', 'The same answer: it was received before'),
  problems: {
    validation_error:
      'A field of the body is not valid, an index is beyond the submission, or a scan is older than scans are kept',
    forbidden: 'The submission is that of another handheld',
    not_found: 'The submission is not one of this organization',
    conflict: 'Another body was received under this id',
    unavailable: 'Too many submissions are under way',
  },
  handle: ({ context, body, requestId }) => context.retractor.retract(body, { ...context, requestId }),
});

export const retractionRoutes = [retract];
