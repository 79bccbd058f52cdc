import { type JsonSchema, TIME_SCHEMA } from '../../../base/checks/fields.ts';
import { TAG_TYPE_SCHEMA, TAG_VALUE_SCHEMA } from '../../../domain/master-data/tags/stored-tags.ts';
import { doneOnce } from '../../../platform/http/success.ts';
import { STATUSES } from '../recording/record-submission.ts';
import { route } from '../serving/context.ts';
import { ULID_SCHEMA } from '../wire/fields.ts';
import { ASSET_EXAMPLE, LOCATION_EXAMPLE, referenceSchema } from '../wire/reference.ts';
import { submissionBody } from './body.ts';

const COUNT = { type: 'integer', minimum: 0 };

const MOVED = {
  status: 'moved',
  tag_type: 'rfid',
  value: 'E28011600000020912345678',
  observed_at: '2026-05-04T07:59:59.370Z',
  asset: ASSET_EXAMPLE,
  location: LOCATION_EXAMPLE,
  from: { id: 5, external_key: 'DOCK-2', name: 'Dock 2' },
};

const RESULT: JsonSchema = {
  title: 'ScanResult',
  description: 'What became of a scan.',
  type: 'object',
  properties: {
    status: {
      type: 'string',
      'x-extensible-enum': STATUSES,
      description:
        '`moved`: the asset is at `location` now, it came from `from`. `seen`: recorded, and it does not change where the asset is; also of a scan that was taken back before it came. `location`: the tag of a location, the location of the scans after it. `unknown`: no live tag has this value. `ambiguous`: several tags match, and none has this very value. `no_location`: not recorded, because nobody said where. `duplicate`: recorded before. `too_late`: not recorded, because it is too old. `unusable`: not recorded, because the value has the shape of an access token or API key; `value` has asterisks in the place of the secret. More may come.',
    },
    tag_type: TAG_TYPE_SCHEMA,
    value: TAG_VALUE_SCHEMA,
    observed_at: { ...TIME_SCHEMA, description: 'When it was made, by the clock of the gateway.' },
    asset: referenceSchema('The asset that was scanned, if it is one.', ASSET_EXAMPLE),
    location: referenceSchema('Where it was scanned, if that is known.', LOCATION_EXAMPLE),
    from: referenceSchema(
      'Where an asset that moved was before. Null if it had never been seen.',
      MOVED.from,
    ),
  },
  required: ['status', 'tag_type', 'value', 'observed_at', 'asset', 'location', 'from'],
  examples: [MOVED],
};

/** docs/handhelds.md */
const SUBMISSION: JsonSchema = {
  title: 'Submission',
  description: 'What became of a submission.',
  type: 'object',
  properties: {
    submission_id: { ...ULID_SCHEMA, description: 'As it was sent.' },
    received_at: { ...TIME_SCHEMA, description: 'When it was received, the first time.' },
    counts: {
      title: 'ScanCounts',
      description: 'How many scans have each status.',
      type: 'object',
      properties: Object.fromEntries(STATUSES.map((status) => [status, COUNT])),
      required: STATUSES,
    },
    results: { type: 'array', items: RESULT, description: 'One for each scan, in their order.' },
  },
  required: ['submission_id', 'received_at', 'counts', 'results'],
  examples: [
    {
      submission_id: '01KQSB3M8R0E5T9V2W4X6Y8Z1A',
      received_at: '2026-05-04T08:00:11.120Z',
      counts: { ...Object.fromEntries(STATUSES.map((status) => [status, 0])), moved: 1 },
      results: [MOVED],
    },
  ],
};

const submit = route({
  method: 'POST',
  path: '/handheld/v1/submissions',
  operationId: 'submitScans',
  summary: 'Send what was scanned',
  description:
    'Recorded as a whole or not at all, and answered when it is committed. Sent again, with the same id and all but `sent_at` the same, it gets the same answer and is not recorded again.',
  scope: null,
  body: submissionBody,
  success: doneOnce(SUBMISSION, 'The outcome for each scan', 'The same answer: it was recorded before'),
  problems: {
    conflict: 'Another body was received under this id',
    unavailable: 'Too many submissions are under way',
  },
  handle: ({ context, body }) => context.recorder.record(body, context),
});

export const submissionRoutes = [submit];
