export interface AssetRef {
  orgId: number;
  assetId: number;
}

export function assetKey({ orgId, assetId }: AssetRef): string {
  return `${orgId} ${assetId}`;
}
