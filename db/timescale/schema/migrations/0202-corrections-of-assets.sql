-- What was said of an instant before is found from the corrections recorded since then, among any number of moves.
create index if not exists moves__corrections on moves (org_id, asset_id, position)
  where rows is not null and asset_id is not null;
