import type { AssetPage } from '../gateway/found-asset.ts';
import type { Database } from '../storage/database.ts';

/** An asset's page as it was looked at. */
export interface LookedAt {
  asset: AssetPage;
  fetched_at: string;
}

const MOST_KEPT = 20;

/** Pages that were looked at, the latest first: they open without a network, too. */
export async function lookedAt(database: Database): Promise<LookedAt[]> {
  return ((await database.get('kept', 'looked at')) as LookedAt[] | undefined) ?? [];
}

export async function keepLookedAt(database: Database, page: LookedAt): Promise<void> {
  const transaction = database.transaction('kept', 'readwrite');
  const kept = ((await transaction.store.get('looked at')) as LookedAt[] | undefined) ?? [];
  const others = kept.filter(({ asset }) => asset.id !== page.asset.id);
  await transaction.store.put([page, ...others].slice(0, MOST_KEPT), 'looked at');
  await transaction.done;
}
