import { externalKey } from '../../../base/checks/fields.ts';
import { mandatory } from '../../../base/checks/members.ts';
import { jsonBody } from '../../../platform/http/body.ts';

export const RENAME_EXAMPLE = { external_key: 'A-17' };

export const renameBody = jsonBody(
  { external_key: mandatory(externalKey) },
  {
    title: 'Rename',
    description: 'Another external key. The one it has already changes nothing.',
    example: RENAME_EXAMPLE,
  },
);
