-- Queries that an organization has named for EPCIS, and webhooks that send what such a query matches.
create table epcis_queries (
  org_id integer not null,
  name text collate "C" not null,
  query json not null,
  created_at timestamptz not null default now(),
  constraint epcis_queries__org_id_name primary key (org_id, name),
  constraint epcis_queries__org_id foreign key (org_id) references organizations (id),
  constraint epcis_queries__name check (char_length(name) between 1 and 100)
);

alter table epcis_queries enable row level security, force row level security;
create policy own_organization on epcis_queries to tagtrail_api
  using (org_id = current_org_id()) with check (org_id = current_org_id());
create policy every_organization on epcis_queries to tagtrail_service using (true) with check (true);
grant select, insert, delete on epcis_queries to tagtrail_api;

alter table webhooks add column epcis json;

-- EPCIS asks which assets a tag was on, also before it was detached.
create index tags__detached_normal_key on tags (org_id, normal_key)
  where detached_at is not null and normal_key is not null;
