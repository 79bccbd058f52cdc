import { useEffect, useState } from 'preact/hooks';
import type { ApiError } from '../../api/api-error.ts';
import { organizationId } from '../../api/organization.ts';
import { MOST_NAMED } from '../../api/send.ts';
import { type Asset, bracketed, type Tag } from '../../api/types.ts';
import { ASSET_FILTERS, askedIn, readRows } from '../../api/use-list.ts';
import { asApiError } from '../../api/use-read.ts';
import { writesTo } from '../../api/writes.ts';
import { address } from '../../router/router.ts';
import { loadCodes } from './code-paths.ts';

/** Labels that are printed at once. */
export const MOST = 1_000;

const FILTERS = [
  'q',
  'external_key',
  'parent_id',
  ...ASSET_FILTERS.filter((name) => name !== 'include_deleted'),
];

interface State {
  rows: readonly Labelled[] | undefined;
  total: number;
  problem: ApiError | null;
}

/** The items that match the address's filters, by key, up to {@link MOST}. */
export function useLabelled(of: 'assets' | 'locations'): State {
  const [state, setState] = useState<State>({ rows: undefined, total: 0, problem: null });
  const { query } = address.value;
  const { external_key: named = [], ...asked } = askedIn(query, FILTERS);
  useEffect(() => {
    const stop = new AbortController();
    const readAll = async () => {
      const rows: Labelled[] = [];
      let total = 0;
      for (const keys of groupsOf(named as readonly string[])) {
        const query = { ...asked, external_key: keys, sort: 'external_key' };
        const found = await readRows<Labelled>(`/${of}`, query, MOST - rows.length, { signal: stop.signal });
        rows.push(...found.rows);
        total += found.total;
      }
      return { rows, total };
    };
    Promise.all([readAll(), loadCodes()]).then(
      ([found]) => setState({ ...found, problem: null }),
      (error: unknown) => {
        if (!stop.signal.aborted) {
          setState((before) => ({ ...before, problem: asApiError(error) }));
        }
      },
    );
    return () => stop.abort();
  }, [of, JSON.stringify([named, asked]), organizationId.value, writesTo(`/${of}`)]);
  return state;
}

/** An empty list is one group without a filter. */
function groupsOf(keys: readonly string[]): (readonly string[])[] {
  const { string: most } = MOST_NAMED;
  const count = Math.max(1, Math.ceil(Math.min(keys.length, MOST) / most));
  return Array.from({ length: count }, (_, index) => keys.slice(index * most, (index + 1) * most));
}

/** The part of an asset or place that labels need. */
export type Labelled = Pick<Asset, 'id' | 'external_key' | 'name' | 'tags'>;

export interface LabelItem {
  id: number;
  external_key: string;
  name: string;
  /** The content of its codes where a GS1 key is none. */
  value: string;
  /** Scanners find it by that. */
  isFound: boolean;
  /** The GS1 key of one thing, in brackets, and as a Digital Link; null without one. */
  gs1: { key: string; link: string } | null;
}

/** Scanners find a thing by its tags: the code holds its barcode, or its key where it has none. */
export function labelItem({ id, external_key, name, tags }: Labelled): LabelItem {
  const barcode = tags.find(({ tag_type }) => tag_type === 'barcode');
  return {
    ...{ id, external_key, name, value: barcode?.value ?? external_key, isFound: barcode !== undefined },
    gs1: tags.map(gs1Of).find((gs1) => gs1 !== null) ?? null,
  };
}

/** Not of a GTIN alone: it names a kind of thing, and a tenth of all numbers with 13 digits could be one. */
function gs1Of(tag: Tag): LabelItem['gs1'] {
  const key = bracketed(tag);
  const { digital_link: link } = tag;
  return key === null || link == null || /^\(01\)\d+$/.test(key) ? null : { key, link };
}
