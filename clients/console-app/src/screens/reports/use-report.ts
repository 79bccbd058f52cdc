import { type List, useList } from '../../api/use-list.ts';
import type { QueryValues } from '../../router/address.ts';
import { address } from '../../router/router.ts';

/** Filters that most reports have: who goes from one to another keeps them. */
export const SHARED = ['asset_external_key', 'location_external_key', 'include_descendants'];

export const TIMES = ['span', 'from', 'to'];

export interface Report<Row> extends List<Row> {
  /** The request without sorting and paging. */
  query: QueryValues;
}

/** @param path null while something is still to be chosen. */
export function useReport<Row>(
  path: string | null,
  {
    filters,
    fixed,
    sort,
    limit = 50,
  }: {
    filters: readonly string[];
    fixed: Readonly<Record<string, string>>;
    sort: string;
    limit?: number;
  },
): Report<Row> {
  const list = useList<Row>(path === null ? null : `/reports/${path}`, { filters, fixed, sort, limit });
  const { query } = address.value;
  return {
    ...list,
    query: { ...Object.fromEntries(filters.map((name) => [name, query.getAll(name)])), ...fixed },
  };
}
