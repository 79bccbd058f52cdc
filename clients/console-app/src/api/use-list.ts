import { useEffect, useMemo, useState } from 'preact/hooks';
import type { QueryValues } from '../router/address.ts';
import { address, href, hrefWith } from '../router/router.ts';
import type { ApiError } from './api-error.ts';
import { read, type Sent } from './send.ts';
import { useRead } from './use-read.ts';

/** A list of which a page is shown. */
export interface Whole {
  load: (most: number, stop: AbortSignal, onRows: (rows: number, of: number) => void) => Promise<void>;
  /** Shows the page again. */
  drop: () => void;
}

/** Those on the screen. */
export const wholes = new Set<Whole>();

/** Returns what takes the offer back. */
function offerWhole(whole: Whole): () => void {
  wholes.add(whole);
  return () => wholes.delete(whole);
}

/** A page of a list (contract 4.6), with what the address asks of it. */
export interface List<Row> {
  rows: readonly Row[];
  /** Undefined until the first answer came. */
  total: number | undefined;
  offset: number;
  limit: number;
  /** All of its rows, for those who load them; null if the page has them. */
  whole: Whole | null;
  /** Where the page begins in `rows`, while these are all. */
  pageAt: number;
  /** What is asked for, without sorting and paging. */
  query: QueryValues;
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
 * The list at `path` as the address has it: `q`, `filters` (the API's names, see {@link askedIn}), `sort`, `page`. The
 * server filters, sorts and pages. `fixed` goes with every request and is in no address. Of two lists on a screen, one has
 * its page in another parameter (`pageIn`). Null reads nothing.
 */
export function useList<Row>(
  path: string | null,
  { filters = [], sort: byDefault, limit = 50, fixed = {}, pageIn = 'page' }: ListOptions,
): List<Row> {
  const { query } = address.value;
  const page = Math.max(1, Number(query.get(pageIn)) || 1);
  const sort = query.get('sort') ?? byDefault;
  const asked = askedIn(query, ['q', ...filters]);
  const wanted = { ...fixed, ...asked };
  const { answer, problem, isLoading, reload } = useRead<ListAnswer<Row>>(path, {
    ...wanted,
    sort,
    limit,
    offset: (page - 1) * limit,
  });
  const { rows: all, whole } = useWhole<Row>((answer?.total_count ?? 0) > limit ? path : null, {
    ...wanted,
    sort,
  });
  return {
    rows: all ?? answer?.data ?? [],
    total: answer?.total_count,
    offset: all === null ? (page - 1) * limit : 0,
    limit,
    whole,
    pageAt: all === null ? 0 : (page - 1) * limit,
    query: wanted,
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

/** How the API's parameters for fields of metadata begin. */
export const FIELD = 'metadata.';

/** What the list of assets takes from the address, by the API's names. */
export const ASSET_FILTERS = [
  ...['is_active', 'include_deleted', 'state', 'seen_within_seconds', 'unseen_for_seconds'],
  ...['location_id', 'location_external_key', 'include_descendants', FIELD],
];

/** What the address says by these names; one that ends in a dot is the beginning of several. */
export function askedIn(query: URLSearchParams, names: readonly string[]): QueryValues {
  const isNamed = (name: string) =>
    names.some((each) => (each.endsWith('.') ? name.startsWith(each) : name === each));
  return Object.fromEntries(
    [...new Set(query.keys())].filter(isNamed).map((name) => [name, query.getAll(name)]),
  );
}

const ROWS_AT_A_TIME = 200;

/** All rows, while they are printed or saved. @param path null if a page is all. */
function useWhole<Row>(path: string | null, query: QueryValues) {
  const [all, setAll] = useState<{ of: string; rows: readonly Row[] } | null>(null);
  const of = JSON.stringify([path, query]);
  const whole: Whole | null = useMemo(
    () =>
      path === null
        ? null
        : {
            load: async (most, signal, onRows) =>
              setAll({ of, ...(await readRows<Row>(path, query, most, { signal }, onRows)) }),
            drop: () => setAll(null),
          },
    [of],
  );
  useEffect(() => (whole === null ? undefined : offerWhole(whole)), [whole]);
  return { rows: all?.of === of ? all.rows : null, whole };
}

/** The rows of all pages up to `most`, and how many there are. */
export async function readRows<Row>(
  path: string,
  query: QueryValues,
  most: number,
  sent: Pick<Sent, 'signal'> = {},
  onRows: (rows: number, of: number) => void = () => {},
): Promise<{ rows: Row[]; total: number }> {
  const rows: Row[] = [];
  let total: number;
  do {
    const page = { ...query, limit: ROWS_AT_A_TIME, offset: rows.length };
    const { data, total_count: found } = await read<ListAnswer<Row>>(path, { ...sent, query: page });
    rows.push(...data);
    total = data.length === 0 ? rows.length : found;
    onRows(rows.length, Math.min(total, most));
  } while (rows.length < Math.min(total, most));
  return { rows, total };
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
