import { type Answer, unwrap } from './unwrap.ts';

/** Which rows of a list to ask for. */
export interface Page {
  limit: number;
  offset: number;
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
 * missed. Tell them apart by `id`.
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

const LARGEST_PAGE = 200;
