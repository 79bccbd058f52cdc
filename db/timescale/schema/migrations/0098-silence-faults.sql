-- Organizations whose silences of readers cannot be derived, for `doctor`: they are passed over, and tried again ever less often.
create table silence_faults (
  org_id integer not null,
  reason text not null,
  since timestamptz not null default now(),
  constraint silence_faults__org_id primary key (org_id)
);

alter table silence_faults enable row level security, force row level security;
create policy own_organization on silence_faults to tagtrail_api
  using (org_id = current_org_id()) with check (org_id = current_org_id());
create policy every_organization on silence_faults to tagtrail_service using (true) with check (true);
