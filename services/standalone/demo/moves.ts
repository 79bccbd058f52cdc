import type { AssetLocationAnswer } from '../../../simulation/api-client.ts';

export interface ShownMove {
  asset: string;
  /** Null if it was not seen before. */
  from: string | null;
  to: string;
  /** RFC 3339. */
  at: string;
}

export function movesBetween(
  before: readonly AssetLocationAnswer[],
  after: readonly AssetLocationAnswer[],
): ShownMove[] {
  const locations = new Map(before.map((row) => [row.asset_external_key, row.location_external_key]));
  return after
    .flatMap((row): ShownMove[] => {
      const from = locations.get(row.asset_external_key) ?? null;
      const to = row.location_external_key;
      return to === null || to === from
        ? []
        : [{ asset: row.asset_external_key, from, to, at: row.asset_last_seen }];
    })
    .sort((a, b) => a.at.localeCompare(b.at));
}
