import { text } from '../../../base/checks/fields.ts';
import { mandatory } from '../../../base/checks/members.ts';
import { jsonBody } from '../../../platform/http/body.ts';

/** As long as the change log keeps whole. */
export const noteBody = jsonBody({ note: mandatory(text(2_000)) });
