import { NO_QUERY } from '../../../platform/http/query.ts';
import { doneOnce } from '../../../platform/http/success.ts';
import { route } from '../serving/context.ts';
import { submissionBody } from './body.ts';
import { SUBMISSION } from './schema.ts';

const submit = route({
  method: 'POST',
  path: '/handheld/v1/submissions',
  operationId: 'submitScans',
  summary: 'Send what was scanned',
  description:
    'Recorded as a whole or not at all, and answered when it is committed. Sent again, with the same id and all but `sent_at` the same, it gets the same answer and is not recorded again.',
  scope: null,
  query: NO_QUERY,
  params: {},
  body: submissionBody,
  success: doneOnce(SUBMISSION, 'What became of each scan', 'The same answer: it was recorded before'),
  problems: {
    conflict: 'Another body was received under this id',
    unavailable: 'Too many submissions are under way',
  },
  handle: ({ context, body }) => context.recorder.record(body, context),
});

export const submissionRoutes = [submit];
