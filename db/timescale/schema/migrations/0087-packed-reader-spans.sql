-- Of a reader that connects for each message, every message is a stretch and every time between two an absence: up to 11,520 rows
-- a day, for good. Those of a day are one row here once they are eight days old. Nothing is rounded or left out: whoever reads
-- spans of so long ago reads both tables.

-- Spans of `reader_spans` that began on a day (UTC), `up` and `disconnected`, each of an hour at most and in order. None of
-- them is the reader's last of its state, so what asks for that looks at `reader_spans` only.
create table reader_packed_spans (
  org_id integer not null,
  reader_id integer not null,
  started_at timestamptz not null,
  ended_at timestamptz not null,
  heard_since timestamptz[] not null,
  heard_until timestamptz[] not null,
  heard_messages bigint[] not null,
  away_since timestamptz[] not null,
  away_until timestamptz[] not null,
  constraint reader_packed_spans__org_id_reader_id_started_at primary key (org_id, reader_id, started_at),
  constraint reader_packed_spans__org_id_reader_id foreign key (org_id, reader_id) references readers (org_id, id),
  constraint reader_packed_spans__ended_at check (ended_at >= started_at),
  constraint reader_packed_spans__heard check (
    cardinality(heard_until) = cardinality(heard_since) and cardinality(heard_messages) = cardinality(heard_since)),
  constraint reader_packed_spans__away check (cardinality(away_until) = cardinality(away_since))
);

alter table reader_packed_spans enable row level security, force row level security;
create policy own_organization on reader_packed_spans to tagtrail_api
  using (org_id = current_org_id()) with check (org_id = current_org_id());
create policy every_organization on reader_packed_spans to tagtrail_service using (true) with check (true);

grant select on reader_packed_spans to tagtrail_api;

-- Who packs says so with `tagtrail.packs_spans`: nothing of what was is another then.
drop trigger reader_spans_gone_revise_alerts on reader_spans;
create trigger reader_spans_gone_revise_alerts after delete on reader_spans for each row
  when (old.state <> 'up' and current_setting('tagtrail.packs_spans', true) is distinct from 'on')
  execute function revise_alerts_of_row('reader', 'reader_id', 'started_at');
