-- Photos of assets, one of each: stored as they came, uncompressed, so that they can be read in pieces.
create table asset_photos (
  org_id integer not null,
  asset_id integer not null,
  media_type text not null,
  width integer not null,
  height integer not null,
  image bytea not null,
  sha256 bytea not null,
  created_at timestamptz not null default now(),
  constraint asset_photos__org_id_asset_id primary key (org_id, asset_id),
  constraint asset_photos__org_id_asset_id_fkey foreign key (org_id, asset_id) references assets (org_id, id)
    on update cascade,
  constraint asset_photos__media_type check (media_type in ('image/png', 'image/jpeg', 'image/webp')),
  constraint asset_photos__size check (octet_length(image) between 1 and 5242880),
  constraint asset_photos__width check (width between 1 and 16384),
  constraint asset_photos__height check (height between 1 and 16384),
  constraint asset_photos__sha256 check (octet_length(sha256) = 32)
);
alter table asset_photos alter column image set storage external;
alter table asset_photos enable row level security, force row level security;
create policy own_organization on asset_photos to tagtrail_api
  using (org_id = current_org_id()) with check (org_id = current_org_id());
create policy every_organization on asset_photos to tagtrail_service using (true) with check (true);
grant select, insert, update, delete on asset_photos to tagtrail_api;
