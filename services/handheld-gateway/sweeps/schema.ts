import type { JsonSchema } from '../../../base/checks/fields.ts';
import { TIME_SCHEMA } from '../../../base/checks/time-field.ts';
import { ULID_SCHEMA } from '../wire/ulid.ts';

/** docs/handhelds.md */
export const SWEEP: JsonSchema = {
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
