import { jsonBody } from '../../shared/http/body.ts';
import { externalKey } from '../../shared/http/fields.ts';
import { mandatory } from '../../shared/http/members.ts';

/** The body of a rename. */
export const renameBody = jsonBody(
  { external_key: mandatory(externalKey) },
  {
    title: 'Rename',
    description: 'Another external key. The one it has already changes nothing.',
    example: { external_key: 'SOUTH-DOCK-1' },
  },
);
