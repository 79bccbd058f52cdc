import { NO_QUERY } from '../../../platform/http/query.ts';
import { doneOnce } from '../../../platform/http/success.ts';
import { route } from '../serving/context.ts';
import { retractionBody } from './body.ts';
import { RETRACTION } from './schema.ts';

const retract = route({
  method: 'POST',
  path: '/handheld/v1/retractions',
  operationId: 'retractScans',
  summary: 'Take scans back',
  description:
    'Takes scans of a submission of this handheld back: histories and current locations become what they would be without them, whatever was scanned since. The scans stay recorded, so the submission sent again is still a repetition. A retraction may come before its submission. Carried out as a whole or not at all, and answered when it is committed; sent again, with the same id and body, it gets the same answer.',
  scope: null,
  query: NO_QUERY,
  params: {},
  body: retractionBody,
  success: doneOnce(RETRACTION, 'What became of each scan', 'The same answer: it was received before'),
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
