export interface AssetRef {
  orgId: number;
  assetId: number;
}

/** One string for each asset. */
export function assetKey({ orgId, assetId }: AssetRef): string {
  return `${orgId} ${assetId}`;
}
