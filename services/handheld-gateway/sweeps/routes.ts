import type { JsonSchema } from '../../../base/checks/fields.ts';
import { TIME_SCHEMA } from '../../../base/checks/fields.ts';
import { doneOnce } from '../../../platform/http/success.ts';
import { route } from '../serving/context.ts';
import { ULID_SCHEMA } from '../wire/fields.ts';
import { sweepBody } from './body.ts';

/** docs/handhelds.md */
const SWEEP: JsonSchema = {
  title: 'Sweep',
  description: 'A sweep that was recorded.',
  type: 'object',
  properties: {
    sweep_id: { ...ULID_SCHEMA, description: 'As it was sent.' },
    received_at: { ...TIME_SCHEMA, description: 'When it was received, the first time.' },
  },
  required: ['sweep_id', 'received_at'],
  examples: [{ sweep_id: '01KQSB3M8R0E5T9V2W4X6Y8Z1B', received_at: '2026-05-04T08:10:01.120Z' }],
};

const sweep = route({
  method: 'POST',
  path: '/handheld/v1/sweeps',
  operationId: 'recordSweep',
  summary: 'Send what a sweep came to',
  description:
    'Recorded as a whole or not at all, and answered when it is committed. It moves nothing: what was scanned goes into submissions, sent before it. Sent again, with the same id and all but `sent_at` the same, it gets the same answer and is not recorded again. The location may have been deleted meanwhile.',
  scope: null,
  body: sweepBody,
  success: doneOnce(SWEEP, 'Recorded', 'The same answer: it was recorded before'),
  problems: {
    conflict: 'Another body was received under this id',
    unavailable: 'Too many submissions and sweeps are under way',
  },
  handle: ({ context, body }) => context.sweeps.record(body, context),
});

export const sweepRoutes = [sweep];
