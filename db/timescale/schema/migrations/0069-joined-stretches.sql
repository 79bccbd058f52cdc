-- What readers were heard, joined so that it is cheap to read: derived from `reader_spans`, of the last eight days.

-- Stretches of messages (`up` of `reader_spans`) of which each began before the reader could be missed after the one before.
-- Those from the first row of a reader to the last are all in one of its rows; those before and after are in none. Rows that
-- end later than 15 s before what `silence_revisions` has of the reader count no more, and go with the next turn of
-- deriving, so whoever commits late locks nothing here.
create table reader_joined_spans (
  org_id integer not null,
  reader_id integer not null,
  started_at timestamptz not null,
  ended_at timestamptz not null,
  constraint reader_joined_spans__org_id_reader_id_started_at primary key (org_id, reader_id, started_at),
  constraint reader_joined_spans__org_id_reader_id foreign key (org_id, reader_id) references readers (org_id, id),
  constraint reader_joined_spans__ended_at check (ended_at >= started_at)
);

alter table reader_joined_spans enable row level security, force row level security;
create policy own_organization on reader_joined_spans to tagtrail_api
  using (org_id = current_org_id()) with check (org_id = current_org_id());
create policy every_organization on reader_joined_spans to tagtrail_service using (true) with check (true);

grant select on reader_joined_spans, silence_revisions to tagtrail_api;
