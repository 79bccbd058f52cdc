-- Captures of EPCIS events, and what became of them. Until one is finished the arrays have an entry for each event: its id, its
-- hash, why it is refused whatever else (null if it is not), and the event itself.
create table epcis_captures (
  org_id integer not null,
  id text collate "C" not null,
  api_key_id text not null,
  created_at timestamptz not null default now(),
  finished_at timestamptz,
  proceeds boolean not null,
  event_ids text[],
  hashes text[],
  faults text[],
  events text[],
  errors json not null default '[]',
  -- How many of its reads became what.
  reads json,
  constraint epcis_captures__org_id_id primary key (org_id, id),
  constraint epcis_captures__org_id foreign key (org_id) references organizations (id)
);
create index epcis_captures__unfinished on epcis_captures (org_id, id) where finished_at is null;

-- Captured events whose reads are all stored, so that another event with the id of one is refused.
create table epcis_events (
  org_id integer not null,
  id text collate "C" not null,
  hash text not null,
  captured_at timestamptz not null default now(),
  constraint epcis_events__org_id_id primary key (org_id, id),
  constraint epcis_events__org_id foreign key (org_id) references organizations (id)
);
create index epcis_events__captured_at on epcis_events (captured_at);

alter table epcis_captures enable row level security, force row level security;
create policy own_organization on epcis_captures to tagtrail_api
  using (org_id = current_org_id()) with check (org_id = current_org_id());
create policy every_organization on epcis_captures to tagtrail_service using (true) with check (true);
alter table epcis_events enable row level security, force row level security;
create policy every_organization on epcis_events to tagtrail_service using (true) with check (true);
grant select, insert on epcis_captures to tagtrail_api;
