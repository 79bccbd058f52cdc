-- Ranges of which labels get their serial numbers, each number once. By the GS1 key that they complete.
create table serial_ranges (
  org_id integer not null,
  ai text collate "C" not null,
  base text collate "C" not null,
  prefix_length smallint not null,
  filter smallint not null,
  next_serial bigint not null,
  last_serial bigint not null,
  created_at timestamptz not null default now(),
  constraint serial_ranges__org_id_ai_base primary key (org_id, ai, base),
  constraint serial_ranges__org_id foreign key (org_id) references organizations (id),
  constraint serial_ranges__ai check (ai in ('00', '01', '8003', '8004')),
  constraint serial_ranges__base check (base ~ '^[0-9]{6,14}$'),
  constraint serial_ranges__prefix_length check (prefix_length between 6 and 12),
  constraint serial_ranges__filter check (filter between 0 and 7),
  constraint serial_ranges__next_serial check (next_serial between 0 and last_serial + 1)
);

alter table serial_ranges enable row level security, force row level security;
create policy own_organization on serial_ranges to tagtrail_api
  using (org_id = current_org_id()) with check (org_id = current_org_id());
create policy every_organization on serial_ranges to tagtrail_service using (true) with check (true);
grant select, insert, update on serial_ranges to tagtrail_api;
