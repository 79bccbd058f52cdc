-- Organizations of whose moves the broker refuses a message, or closes the connection on it: the publisher passes over their
-- feed, says here why, and tries again from time to time; others' moves are published meanwhile.
create table publishing_faults (
  org_id integer not null,
  topic text not null,
  reason text not null,
  since timestamptz not null default now(),
  constraint publishing_faults__org_id primary key (org_id)
);

alter table publishing_faults enable row level security, force row level security;
create policy own_organization on publishing_faults to tagtrail_api
  using (org_id = current_org_id()) with check (org_id = current_org_id());
create policy every_organization on publishing_faults to tagtrail_service using (true) with check (true);
