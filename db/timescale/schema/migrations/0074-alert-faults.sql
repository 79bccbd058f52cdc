-- Organizations whose alerts cannot be derived, because a rule of theirs or what is known of an asset makes it fail. They are
-- passed over, and tried again ever less often; others' alerts are derived meanwhile. `derived_to` is up to when theirs are:
-- from then on all of their assets and readers are looked at, until the row is deleted.
create table alert_faults (
  org_id integer not null,
  derived_to timestamptz not null,
  reason text not null,
  since timestamptz not null default now(),
  constraint alert_faults__org_id primary key (org_id)
);

alter table alert_faults enable row level security, force row level security;
create policy own_organization on alert_faults to tagtrail_api
  using (org_id = current_org_id()) with check (org_id = current_org_id());
create policy every_organization on alert_faults to tagtrail_service using (true) with check (true);

-- When a turn last left nothing to derive.
alter table alert_derivation add column caught_up_at timestamptz not null default now();
