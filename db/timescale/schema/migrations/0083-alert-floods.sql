-- Organizations that raised as many alerts within an hour as they may. What holds beyond that is raised from `until` on: all of
-- them is derived anew then, since the earliest alert that was not raised.
create table alert_floods (
  org_id integer not null,
  since timestamptz not null,
  until timestamptz not null,
  constraint alert_floods__org_id primary key (org_id)
);

alter table alert_floods enable row level security, force row level security;
create policy own_organization on alert_floods to tagtrail_api
  using (org_id = current_org_id()) with check (org_id = current_org_id());
create policy every_organization on alert_floods to tagtrail_service using (true) with check (true);
