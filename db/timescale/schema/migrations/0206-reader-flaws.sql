-- What a reader's messages say that is of no use, for readers that ever sent such. Apart from `reader_counters`, which each commit
-- writes. The reads themselves are recorded without it.
create table reader_flaws (
  org_id integer not null,
  reader_id integer not null,
  -- Reads whose signal strength no radio has; and one of these.
  rssi_unusable bigint not null default 0,
  rssi_example text,
  -- Reads whose time could not be read; one of these, and when the last came.
  time_unreadable bigint not null default 0,
  time_example text,
  time_unreadable_at timestamptz,
  -- Reads by a clock that was not set, and when the last came.
  clock_unset bigint not null default 0,
  clock_unset_at timestamptz,
  -- Messages, and parts of some, that yielded no read and hold something like a tag; and when the last was kept to look at.
  near_misses bigint not null default 0,
  near_miss_kept_at timestamptz,
  constraint reader_flaws__org_id_reader_id primary key (org_id, reader_id),
  constraint reader_flaws__org_id_reader_id_fkey foreign key (org_id, reader_id) references readers (org_id, id)
) with (fillfactor = 50);
alter table reader_flaws enable row level security, force row level security;
create policy own_organization on reader_flaws to tagtrail_api
  using (org_id = current_org_id()) with check (org_id = current_org_id());
create policy every_organization on reader_flaws to tagtrail_service using (true) with check (true);
