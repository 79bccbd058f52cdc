import { jsonBody } from '../../shared/http/body.ts';
import { externalKey } from '../../shared/http/fields.ts';
import { mandatory } from '../../shared/http/members.ts';

/** The body of a rename. */
export const renameBody = jsonBody({ external_key: mandatory(externalKey) });
