-- The sweeps that missed an asset: who asks whether assets are where they were seen last reads nothing else of sweeps of long ago.
create index sweep_assets__org_id_asset_id on sweep_assets (org_id, asset_id)
  where (expected or missing) and not found and not moved_here;
