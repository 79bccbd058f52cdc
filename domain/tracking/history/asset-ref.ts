export interface AssetRef {
  orgId: number;
  assetId: number;
}

/** One string for each asset. */
export function assetName({ orgId, assetId }: AssetRef): string {
  return `${orgId} ${assetId}`;
}
