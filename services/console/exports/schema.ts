import type { JsonSchema } from '../../../base/checks/fields.ts';
import type { Download } from '../../../platform/http/download.ts';
import { idFilter } from '../../../platform/http/parameters.ts';
import type { Parameters, Query } from '../../../platform/http/query.ts';
import type { Success } from '../../../platform/http/success.ts';
import { ASSET_LIST, LOCATION_LIST } from '../../api/entry.ts';

/** Filters of the lists; `organization` is read with the session: a link can send no header. */
export const ASSETS = {
  parameters: { ...filtersOf(ASSET_LIST.parameters), organization: idFilter },
  exclusive: ASSET_LIST.exclusive,
} satisfies Query;

export const LOCATIONS = {
  parameters: { ...filtersOf(LOCATION_LIST.parameters), organization: idFilter },
  exclusive: LOCATION_LIST.exclusive,
} satisfies Query;

type NotFilters = 'sort' | 'limit' | 'offset' | 'include_deleted';

/** What is deleted is not exported: importing it would create it again. */
function filtersOf<P extends Parameters & Record<NotFilters, unknown>>({
  sort,
  limit,
  offset,
  include_deleted,
  ...filters
}: P): Omit<P, NotFilters> {
  return filters;
}

const TEXT: JsonSchema = { type: 'string', contentMediaType: 'text/csv' };

export const CSV: Success<Download> = {
  ...{ status: 200, description: 'CSV, in the columns of an import', schema: TEXT, headers: {} },
  present: (body) => ({ body }),
};
