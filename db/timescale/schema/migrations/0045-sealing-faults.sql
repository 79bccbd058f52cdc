-- Organizations whose events cannot be sealed, because of the one at which their queue stands still. The sealer passes over
-- their queue, says here why, and tries again every few seconds; others' events are sealed meanwhile.
create table sealing_faults (
  org_id integer not null,
  move_id bigint,
  reason text not null,
  since timestamptz not null default now(),
  constraint sealing_faults__org_id primary key (org_id)
);

alter table sealing_faults enable row level security, force row level security;
create policy own_organization on sealing_faults to tagtrail_api
  using (org_id = current_org_id()) with check (org_id = current_org_id());
create policy every_organization on sealing_faults to tagtrail_service using (true) with check (true);
