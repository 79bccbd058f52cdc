import { type Answer, unwrap } from './unwrap.ts';

/** Which rows of a list to ask for. */
export interface Page {
  limit: number;
  offset: number;
}

/** Which rows of a list in order of ids to ask for. */
export interface PageById {
  limit: number;
  after: number;
}

interface List<Row> {
  data: Row[];
  total_count: number;
}

/**
 * The rows of a list, asked for page by page as they are used:
 *
 *     rows((page) => client.GET('/api/v1/assets', { params: { query: { ...page, q: 'pallet' } } }))
 *
 * Rows that come, go or change between two pages move those behind them, whatever the order: one can come twice or be
 * missed. Tell them apart by `id`, or use {@link rowsById}.
 *
 * @throws TagtrailError for a refusal.
 */
export async function* rows<Row>(
  list: (page: Page) => Promise<Answer<List<Row>>>,
  limit = LARGEST_PAGE,
): AsyncGenerator<Row, void> {
  for (let offset = 0; ; offset += limit) {
    const { data, total_count: total } = unwrap(await list({ limit, offset }));
    yield* data;
    if (data.length === 0 || offset + limit >= total) {
      return;
    }
  }
}

/**
 * The same of assets, locations, and the reports of their places and presence, in order of ids: what is there all the
 * while comes once, whatever others write. Without `sort`.
 *
 * @throws TagtrailError for a refusal.
 */
export async function* rowsById<Row extends { id: number } | { asset_id: number }>(
  list: (page: PageById) => Promise<Answer<List<Row>>>,
  limit = LARGEST_PAGE,
): AsyncGenerator<Row, void> {
  for (let after = 0; ; ) {
    const { data } = unwrap(await list({ limit, after }));
    yield* data;
    const last = data.at(-1);
    if (last === undefined || data.length < limit) {
      return;
    }
    after = 'id' in last ? last.id : last.asset_id;
  }
}

const LARGEST_PAGE = 200;
