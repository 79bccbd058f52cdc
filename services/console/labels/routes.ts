import { addPrinter, listPrinters, printOn, removePrinter } from '../../../domain/labels/printers.ts';
import { addRange, labelAssets, listRanges } from '../../../domain/labels/serials.ts';
import { zplFor } from '../../../domain/labels/zpl.ts';
import { found, noContent } from '../../../platform/http/success.ts';
import { memberRoute } from '../serving/context.ts';
import { actorOfUser } from '../serving/person.ts';
import { listOf, objectOf, TEXT_OR_NULL } from '../serving/schemas.ts';
import { labelsBody, ONE_PRINTER, PRINTER, printerBody, RANGE, rangeBody } from './schema.ts';

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
  success: found(
    objectOf({ zpl: TEXT_OR_NULL }),
    'ZPL II for a printer that also writes the tags; null if it is printed',
  ),
  problems: {
    not_found: 'No such range, asset or printer',
    conflict: 'Too few serial numbers are left, or the printer does not print',
  },
  handle: async ({ context: { db, session, parts }, body, requestId }) => {
    const { external_keys: keys, printer } = body;
    const actor = actorOfUser(session, requestId);
    const zplOf = zplFor(body.printing);
    const make = async () => ({ zpl: zplOf(await labelAssets(db, actor, body, keys)) });
    if (printer === undefined) {
      return make();
    }
    await printOn(db, printer, parts.printers, make);
    return { zpl: null };
  },
});

const printers = memberRoute({
  ...{ method: 'GET', path: '/console/v1/printers', operationId: 'listPrinters' },
  summary: 'List the printers that labels can be printed on',
  scope: 'assets:write',
  success: found(listOf(PRINTER), 'The printers by name'),
  handle: ({ context: { db } }) => listPrinters(db),
});

const addOne = memberRoute({
  ...{ method: 'POST', path: '/console/v1/printers', operationId: 'addPrinter' },
  summary: 'Add a printer that takes ZPL over TCP',
  scope: 'organization:admin',
  body: printerBody,
  success: found(PRINTER, 'The printer'),
  problems: { conflict: 'There is a printer of this name, or there are too many' },
  handle: ({ context: { db, session, parts }, body, requestId }) =>
    addPrinter(db, actorOfUser(session, requestId), body, parts.printers.networks),
});

const removeOne = memberRoute({
  ...{ method: 'DELETE', path: '/console/v1/printers/{printer}', operationId: 'removePrinter' },
  summary: 'Remove a printer',
  ...{ scope: 'organization:admin', params: ONE_PRINTER },
  success: noContent('Removed'),
  problems: { not_found: 'No such printer' },
  handle: async ({ context: { db, session }, params, requestId }) => {
    await removePrinter(db, actorOfUser(session, requestId), params.printer);
  },
});

export const labelRoutes = [list, add, label, printers, addOne, removeOne];
