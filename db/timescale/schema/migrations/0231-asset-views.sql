-- Views of the list of assets: what its address asks for, by a name that everybody of the organization sees.
create table asset_views (
  org_id integer not null,
  name text not null,
  query text not null,
  constraint asset_views__org_id_name primary key (org_id, name),
  constraint asset_views__org_id foreign key (org_id) references organizations (id),
  constraint asset_views__name check (char_length(name) between 1 and 100),
  constraint asset_views__query check (char_length(query) between 1 and 2000)
);
alter table asset_views enable row level security, force row level security;
create policy own_organization on asset_views to tagtrail_api
  using (org_id = current_org_id()) with check (org_id = current_org_id());
create policy every_organization on asset_views to tagtrail_service using (true) with check (true);
grant select, insert, update, delete on asset_views to tagtrail_api;
