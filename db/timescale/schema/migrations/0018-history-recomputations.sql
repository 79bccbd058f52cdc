-- Histories that are computed anew from the raw scans, by organization: how far that is (`asset_id`, in order of it) and
-- when it was finished. Until now a scan that came in order where its asset was, and made earlier ones count, was
-- passed over where smoothing is on; so what organizations have that were ever smoothed is computed anew once.
create table history_recomputations (
  org_id integer not null,
  asset_id integer not null default 0,
  finished_at timestamptz,
  constraint history_recomputations__org_id primary key (org_id),
  constraint history_recomputations__org_id_fkey foreign key (org_id) references organizations (id)
);
insert into history_recomputations (org_id) select distinct org_id from smoothing_settings;

-- Like smoothing it is no business of the API, which gets no privilege.
alter table history_recomputations enable row level security, force row level security;
create policy own_organization on history_recomputations to tagtrail_api
  using (org_id = current_org_id()) with check (org_id = current_org_id());
create policy every_organization on history_recomputations to tagtrail_service using (true) with check (true);
