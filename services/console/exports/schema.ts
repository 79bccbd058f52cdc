import type { JsonSchema } from '../../../base/checks/fields.ts';
import type { CsvStyle } from '../../../domain/master-data/imports/csv-style.ts';
import type { Download } from '../../../platform/http/download.ts';
import { choiceFilter, described, idFilter } from '../../../platform/http/parameters.ts';
import type { Parameters, Query } from '../../../platform/http/query.ts';
import type { Success } from '../../../platform/http/success.ts';
import { ASSET_LIST, DWELL_REPORT, LOCATION_LIST, POSITIONS_REPORT, STAYS_REPORT } from '../../api/entry.ts';

/** For people: spreadsheets of many languages split at semicolons. */
const SEPARATORS = ['comma', 'semicolon'] as const;

const separator = described(choiceFilter(SEPARATORS, 'comma'), 'What is between the cells of CSV.');

export function styleOf(named: (typeof SEPARATORS)[number]): CsvStyle {
  return { separator: named === 'comma' ? ',' : ';', hasMark: true };
}

/** Filters of the lists; `organization` is read with the session: a link can send no header. */
export const ASSETS = {
  parameters: { ...filtersOf(ASSET_LIST.parameters), separator, organization: idFilter },
  exclusive: ASSET_LIST.exclusive,
  needs: ASSET_LIST.needs,
} satisfies Query;

export const LOCATIONS = {
  parameters: { ...filtersOf(LOCATION_LIST.parameters), separator, organization: idFilter },
  exclusive: LOCATION_LIST.exclusive,
  needs: LOCATION_LIST.needs,
} satisfies Query;

const FORMATS = ['csv', 'parquet'] as const;

export type ReportFormat = (typeof FORMATS)[number];

/** Reports by their filters; assets that are deleted may be in them. */
export const POSITIONS = wholeReport(POSITIONS_REPORT);
export const STAYS = wholeReport(STAYS_REPORT);
export const DWELL = wholeReport(DWELL_REPORT);

function wholeReport<P extends Parameters & Record<'sort' | 'limit' | 'offset', unknown>>({
  parameters: { sort, limit, offset, ...filters },
  exclusive,
}: {
  parameters: P;
  exclusive: typeof STAYS_REPORT.exclusive;
}) {
  return {
    parameters: {
      ...filters,
      format: described(choiceFilter(FORMATS, 'csv'), 'How it is written.'),
      ...{ separator, organization: idFilter },
    },
    exclusive,
  };
}

type NotFilters = 'sort' | 'limit' | 'offset' | 'after' | 'include_deleted';

/** Deleted items are not exported: importing them would create them again. */
function filtersOf<P extends Parameters & Record<NotFilters, unknown>>({
  sort,
  limit,
  offset,
  after,
  include_deleted,
  ...filters
}: P): Omit<P, NotFilters> {
  return filters;
}

const TEXT: JsonSchema = { type: 'string', contentMediaType: 'text/csv' };

const FILE: JsonSchema = { type: 'string', description: 'CSV, or Parquet.' };

export const REPORT_FILE: Success<Download> = {
  ...{ status: 200, description: 'The report, in columns named as its fields', schema: FILE, headers: {} },
  present: (body) => ({ body }),
};

export const CSV: Success<Download> = {
  ...{ status: 200, description: 'CSV, in the columns of an import', schema: TEXT, headers: {} },
  present: (body) => ({ body }),
};
