import type { QueryValues } from '../router/address.ts';
import { address, href, hrefWith } from '../router/router.ts';
import type { ApiError } from './api-error.ts';
import { useRead } from './use-read.ts';

/** A page of a list (contract 4.6), with what the address asks of it. */
export interface List<Row> {
  rows: readonly Row[];
  /** Undefined until the first answer came. */
  total: number | undefined;
  offset: number;
  limit: number;
  /** As in the API: `-name` is descending. */
  sort: string;
  /** When the list was read, by the server's clock, where it says so. */
  asOf: string | undefined;
  isLoading: boolean;
  problem: ApiError | null;
  /** Something narrows the list: an empty one means that nothing was found, not that there is nothing. */
  isFiltered: boolean;
  /** The same screen without filters. */
  allHref: string;
  pageHref: (offset: number) => string;
  sortHref: (field: string) => string;
  reload: () => void;
}

/**
 * The list at `path` as the address has it: `q`, `filters` (the API's names), `sort`, `page`. The server filters, sorts
 * and pages. `fixed` goes with every request and is in no address. Of two lists on a screen, one has its page in another
 * parameter (`pageIn`). Null reads nothing.
 */
export function useList<Row>(
  path: string | null,
  { filters = [], sort: byDefault, limit = 50, fixed = {}, pageIn = 'page' }: ListOptions,
): List<Row> {
  const { query } = address.value;
  const page = Math.max(1, Number(query.get(pageIn)) || 1);
  const sort = query.get('sort') ?? byDefault;
  const asked = Object.fromEntries(
    ['q', ...filters].filter((name) => query.has(name)).map((name) => [name, query.getAll(name)]),
  );
  const { answer, problem, isLoading, reload } = useRead<ListAnswer<Row>>(path, {
    ...fixed,
    ...asked,
    sort,
    limit,
    offset: (page - 1) * limit,
  });
  return {
    rows: answer?.data ?? [],
    total: answer?.total_count,
    offset: (page - 1) * limit,
    limit,
    sort,
    asOf: answer?.as_of,
    isLoading,
    problem,
    isFiltered: Object.keys(asked).length > 0,
    allHref: href(...address.value.path),
    pageHref: (offset) => hrefWith({ [pageIn]: offset === 0 ? null : offset / limit + 1, open: null }),
    sortHref: (field) => hrefWith({ sort: sort === field ? `-${field}` : field, [pageIn]: null }),
    reload,
  };
}

interface ListOptions {
  filters?: readonly string[];
  sort: string;
  limit?: number;
  fixed?: QueryValues;
  pageIn?: string;
}

interface ListAnswer<Row> {
  data: readonly Row[];
  total_count: number;
  as_of?: string;
}
