-- By itself, so that reading tags does not wait for it.
create index if not exists tags__org_id_normal_key on tags (org_id, normal_key)
  where detached_at is null and normal_key is not null;

-- Up to which of an organization's tags the normal keys are known to be there.
create table normal_key_progress (
  org_id integer not null,
  tag_id integer not null,
  constraint normal_key_progress__org_id primary key (org_id),
  constraint normal_key_progress__org_id_fkey foreign key (org_id) references organizations (id)
);

-- Keys that tags of several owners turned out to have when normal keys were added.
create table normal_key_collisions (
  org_id integer not null,
  normal_key text collate "C" not null,
  found_at timestamptz not null default now(),
  constraint normal_key_collisions__org_id_normal_key primary key (org_id, normal_key),
  constraint normal_key_collisions__org_id foreign key (org_id) references organizations (id)
);

alter table normal_key_progress enable row level security, force row level security;
create policy own_organization on normal_key_progress to tagtrail_api
  using (org_id = current_org_id()) with check (org_id = current_org_id());
create policy every_organization on normal_key_progress to tagtrail_service using (true) with check (true);
alter table normal_key_collisions enable row level security, force row level security;
create policy own_organization on normal_key_collisions to tagtrail_api
  using (org_id = current_org_id()) with check (org_id = current_org_id());
create policy every_organization on normal_key_collisions to tagtrail_service using (true) with check (true);
