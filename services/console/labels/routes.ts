import { addRange, labelAssets, listRanges } from '../../../domain/labels/serials.ts';
import { zplFor } from '../../../domain/labels/zpl.ts';
import { found } from '../../../platform/http/success.ts';
import { memberRoute } from '../serving/context.ts';
import { actorOfUser } from '../serving/person.ts';
import { listOf, objectOf, TEXT_SCHEMA } from '../serving/schemas.ts';
import { labelsBody, RANGE, rangeBody } from './schema.ts';

const list = memberRoute({
  ...{ method: 'GET', path: '/console/v1/serial-ranges', operationId: 'listSerialRanges' },
  summary: 'List the ranges that labels get serial numbers from',
  scope: 'assets:read',
  success: found(listOf(RANGE), 'The ranges by GS1 key, each with its next number'),
  handle: ({ context: { db } }) => listRanges(db),
});

const add = memberRoute({
  ...{ method: 'POST', path: '/console/v1/serial-ranges', operationId: 'addSerialRange' },
  summary: 'Add a range of serial numbers',
  description: 'A key has one range, so that no number is given twice.',
  scope: 'organization:admin',
  body: rangeBody,
  success: found(RANGE, 'The range'),
  problems: { conflict: 'The key has a range already' },
  handle: ({ context: { db, session }, body, requestId }) =>
    addRange(db, actorOfUser(session, requestId), body),
});

const label = memberRoute({
  ...{ method: 'POST', path: '/console/v1/labels', operationId: 'labelAssets' },
  summary: 'Give assets RFID tags with the next serial numbers, and print their labels',
  description:
    'An asset with a tag of this range keeps it, and its label is printed again. Passwords are kept nowhere but in the ZPL.',
  scope: 'assets:write',
  body: labelsBody,
  success: found(objectOf({ zpl: TEXT_SCHEMA }), 'ZPL II for a printer that also writes the tags'),
  problems: { not_found: 'No such range or asset', conflict: 'Too few serial numbers are left' },
  handle: async ({ context: { db, session }, body, requestId }) => {
    const actor = actorOfUser(session, requestId);
    const zplOf = zplFor(body.printing);
    return { zpl: zplOf(await labelAssets(db, actor, body, body.external_keys)) };
  },
});

export const labelRoutes = [list, add, label];
