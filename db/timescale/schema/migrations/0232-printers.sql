-- Label printers of a site, that take ZPL over TCP.
create table printers (
  org_id integer not null,
  name text collate "C" not null,
  address text not null,
  created_at timestamptz not null default now(),
  constraint printers__org_id_name primary key (org_id, name),
  constraint printers__org_id foreign key (org_id) references organizations (id),
  constraint printers__name check (char_length(name) between 1 and 255),
  constraint printers__address check (char_length(address) between 1 and 255)
);

alter table printers enable row level security, force row level security;
create policy own_organization on printers to tagtrail_api
  using (org_id = current_org_id()) with check (org_id = current_org_id());
create policy every_organization on printers to tagtrail_service using (true) with check (true);
grant select, insert, delete on printers to tagtrail_api;
