import { ID_SCHEMA, type JsonSchema, KEY_SCHEMA, TIME_SCHEMA } from '../../../base/checks/fields.ts';
import { wireTime } from '../../../base/timestamps.ts';
import { requirePast } from '../../../domain/reports/require-past.ts';
import { listSweeps, SWEEP_SORT_FIELDS, type SweepRow } from '../../../domain/reports/sweeps/list-sweeps.ts';
import { listBody, PAGING, sortBy } from '../../../platform/http/lists.ts';
import { booleanFilter, described } from '../../../platform/http/parameters.ts';
import type { Query } from '../../../platform/http/query.ts';
import { listed } from '../../../platform/http/success.ts';
import { ASSETS, EXCLUSIVE, PLACES, WINDOW, windowFrom } from '../past/parameters.ts';
import { route } from '../serving/context.ts';
import { orNarrower } from './about-the-past.ts';

function counted(description: string): JsonSchema {
  return { type: 'integer', minimum: 0, description };
}

const PROPERTIES = {
  sweep_id: { type: 'string', minLength: 1, description: 'The id that the device gave it, a ULID.' },
  location_id: { ...ID_SCHEMA, description: 'The location that was checked.' },
  location_external_key: {
    ...KEY_SCHEMA,
    description: 'The current external key of that location, also if that is deleted by now.',
  },
  handheld_id: { ...ID_SCHEMA, description: 'The handheld with which it was made.' },
  handheld_name: {
    type: 'string',
    description: 'The name of the handheld.',
  },
  began_at: { ...TIME_SCHEMA, description: 'When it began, by the clock of this service.' },
  ended_at: { ...TIME_SCHEMA, description: 'When it was finished. The window is about this.' },
  received_at: {
    ...TIME_SCHEMA,
    description: 'When the service received it: well after its end if there was no network.',
  },
  include_descendants: {
    type: 'boolean',
    description: 'True if the locations below were checked with it.',
  },
  expected: counted('How many assets should have been there, as far as the device knew.'),
  found: counted('How many assets were found.'),
  moved_here: counted('How many assets were found that belonged elsewhere, and count as moved here.'),
  missing: counted('How many expected assets were not found.'),
  unknown: counted('How many tags were read that no asset has.'),
  accuracy: {
    type: ['number', 'null'],
    minimum: 0,
    maximum: 1,
    description: 'The share of the expected assets that were found. Null if none was expected.',
  },
} as const satisfies Record<string, JsonSchema>;

/** Contract 2.9. */
const SWEEP: JsonSchema = {
  title: 'SweepItem',
  description: 'The outcome of a check of a location with a handheld.',
  type: 'object',
  properties: PROPERTIES,
  required: Object.keys(PROPERTIES),
  examples: [
    {
      sweep_id: '01KQSB3M8R0E5T9V2W4X6Y8Z1B',
      location_id: 4,
      location_external_key: 'DOCK-1',
      handheld_id: 2,
      handheld_name: 'Dock, early shift',
      began_at: '2026-05-04T07:58:12.000Z',
      ended_at: '2026-05-04T08:09:40.500Z',
      received_at: '2026-05-04T08:10:01.120Z',
      include_descendants: false,
      expected: 40,
      found: 38,
      moved_here: 3,
      missing: 2,
      unknown: 1,
      accuracy: 0.95,
    },
  ],
};

/** Contract 4.4. */
const SWEEPS = {
  parameters: {
    ...WINDOW,
    ...ASSETS,
    ...PLACES,
    include_deleted: described(
      booleanFilter(false),
      'The filter of assets finds assets too that were soft-deleted by the end of the window. Without such a filter it changes nothing.',
    ),
    sort: sortBy(SWEEP_SORT_FIELDS, [{ field: 'ended_at', isDescending: true }]),
    ...PAGING,
  },
  exclusive: EXCLUSIVE,
} as const satisfies Query;

export const sweeps = route({
  method: 'GET',
  path: '/api/v1/reports/sweeps',
  operationId: 'reportSweeps',
  summary: 'Report what sweeps found',
  description:
    'One row for each sweep that ended in the window, latest first. Asset filters select sweeps that expected, found, missed or moved one of the assets; location filters select by where they were made.',
  scope: 'tracking:read',
  query: SWEEPS,
  success: listed(SWEEP, 'A page of sweeps'),
  handle: async ({ context: { db }, query, signal }) => {
    const window = windowFrom(query);
    await requirePast(db, window);
    return listBody(await orNarrower('from', listSweeps(db, window, query, signal())), query, sweepView);
  },
});

/** Contract 2.9. */
function sweepView(row: SweepRow) {
  return {
    sweep_id: row.id,
    location_id: row.location_id,
    location_external_key: row.location_external_key,
    handheld_id: row.handheld_id,
    handheld_name: row.handheld_name,
    began_at: wireTime(row.began_at),
    ended_at: wireTime(row.ended_at),
    received_at: wireTime(row.received_at),
    include_descendants: row.include_descendants,
    expected: row.expected,
    found: row.found,
    moved_here: row.moved_here,
    missing: row.missing,
    unknown: row.unknown,
    accuracy: row.accuracy,
  };
}
