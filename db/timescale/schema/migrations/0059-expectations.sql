-- When a reader can be called silent.

-- How long a reader may say nothing before it is silent, dated: a row is never changed, so what was silent stays so. `set`
-- by somebody (null `seconds`: what is learned counts again), or `learned`. At least as long as the gap within a stretch of
-- messages, since shorter silences are not kept.
create table reader_expectations (
  org_id integer not null,
  reader_id integer not null,
  origin text not null,
  valid_from timestamptz not null default clock_timestamp(),
  seconds integer,
  constraint reader_expectations__org_id_reader_id_origin_valid_from
    primary key (org_id, reader_id, origin, valid_from),
  constraint reader_expectations__org_id_reader_id foreign key (org_id, reader_id) references readers (org_id, id),
  constraint reader_expectations__origin check (origin in ('set', 'learned')),
  constraint reader_expectations__seconds check (seconds between 15 and 86400),
  constraint reader_expectations__learned check (origin = 'set' or seconds is not null)
);

alter table reader_expectations enable row level security, force row level security;
create policy own_organization on reader_expectations to tagtrail_api
  using (org_id = current_org_id()) with check (org_id = current_org_id());
create policy every_organization on reader_expectations to tagtrail_service using (true) with check (true);

-- When processes of ingestion could hear: connected to their broker, and every message received until then committed. A row
-- for each stretch of a process, kept up every second. While there is none, nobody is silent.
create table intake_watches (
  id uuid not null,
  started_at timestamptz not null,
  ended_at timestamptz not null,
  constraint intake_watches__id primary key (id),
  constraint intake_watches__ended_at check (ended_at >= started_at)
);
create index intake_watches__ended_at_index on intake_watches (ended_at);

-- Up to when silences are derived, by which process; it is left alone as long as it goes on.
create table silence_derivation (
  is_only boolean not null default true,
  derived_to timestamptz not null,
  derived_by uuid,
  derived_at timestamptz not null,
  constraint silence_derivation__is_only primary key (is_only),
  constraint silence_derivation__only check (is_only)
);

-- Readers whose silences since then are to be derived anew: something came out of its order, or is expected otherwise.
create table silence_revisions (
  org_id integer not null,
  reader_id integer not null,
  since timestamptz not null,
  constraint silence_revisions__org_id_reader_id primary key (org_id, reader_id),
  constraint silence_revisions__org_id_reader_id_fkey foreign key (org_id, reader_id) references readers (org_id, id)
);

alter table silence_revisions enable row level security, force row level security;
create policy own_organization on silence_revisions to tagtrail_api
  using (org_id = current_org_id()) with check (org_id = current_org_id());
create policy every_organization on silence_revisions to tagtrail_service using (true) with check (true);

create function revise_silences(org integer, reader integer, from_then timestamptz) returns void language sql as $$
  insert into silence_revisions as kept (org_id, reader_id, since) values (org, reader, from_then)
  on conflict (org_id, reader_id) do update set since = least(kept.since, excluded.since)
$$;

create function revise_silences_of_expectation() returns trigger language plpgsql as $$
begin
  perform revise_silences(new.org_id, new.reader_id, new.valid_from);
  return null;
end $$;
create trigger reader_expectations_revise after insert on reader_expectations for each row
  execute function revise_silences_of_expectation();

create function revise_silences_of_deleted() returns trigger language plpgsql as $$
begin
  perform revise_silences(new.org_id, new.id, new.deleted_at);
  return null;
end $$;
create trigger readers_deleted_revise after update on readers for each row
  when (new.deleted_at is not null and old.deleted_at is null)
  execute function revise_silences_of_deleted();

create function revise_silences_of_first() returns trigger language plpgsql as $$
begin
  perform revise_silences(new.org_id, new.reader_id, new.heard_since);
  return null;
end $$;
create trigger reader_counters_first_revise after insert on reader_counters for each row
  when (new.heard_since is not null)
  execute function revise_silences_of_first();

-- As before, and what came out of its order revises silences.
create or replace function keep_heard_stretches() returns trigger language plpgsql as $$
declare
  gap constant interval := interval '15 seconds';
  late record;
  joined record;
begin
  if old.heard_until is null or new.heard_since < old.heard_since then
    perform revise_silences(new.org_id, new.reader_id, new.heard_since);
  end if;
  if new.heard_since > old.heard_until then
    insert into reader_spans (org_id, reader_id, state, started_at, ended_at, messages)
    values (old.org_id, old.reader_id, 'up', old.heard_since, old.heard_until, old.heard_messages);
    if new.heard_late is null then
      return new;
    end if;
  end if;
  for late in
    select time_of_micros((stretch ->> 0)::bigint) as since, time_of_micros((stretch ->> 1)::bigint) as until,
      (stretch ->> 2)::bigint as messages
    from jsonb_array_elements(new.heard_late) stretch
  loop
    perform revise_silences(new.org_id, new.reader_id, late.since);
    joined := take_heard_stretches(new.org_id, new.reader_id, late.since - gap, late.until + gap);
    insert into reader_spans (org_id, reader_id, state, started_at, ended_at, messages)
    values (new.org_id, new.reader_id, 'up', least(late.since, joined.since), greatest(late.until, joined.until),
      late.messages + joined.messages);
  end loop;
  joined := take_heard_stretches(new.org_id, new.reader_id, new.heard_since - gap, new.heard_until + gap);
  new.heard_since := least(new.heard_since, joined.since);
  new.heard_until := greatest(new.heard_until, joined.until);
  new.heard_messages := new.heard_messages + joined.messages;
  new.heard_late := null;
  return new;
end $$;

-- What a reader had buffered and sent later: reads that it made within 15 s of each other, by its own clock, where no
-- message of it was received then. It was listening, whether or not it could be reached. `learned_at`: when the last of
-- them was received.
create table reader_proofs (
  org_id integer not null,
  reader_id integer not null,
  started_at timestamptz not null,
  ended_at timestamptz not null,
  learned_at timestamptz not null,
  constraint reader_proofs__org_id_reader_id_started_at primary key (org_id, reader_id, started_at),
  constraint reader_proofs__org_id_reader_id foreign key (org_id, reader_id) references readers (org_id, id),
  constraint reader_proofs__ended_at check (ended_at >= started_at)
);

alter table reader_proofs enable row level security, force row level security;
create policy own_organization on reader_proofs to tagtrail_api
  using (org_id = current_org_id()) with check (org_id = current_org_id());
create policy every_organization on reader_proofs to tagtrail_service using (true) with check (true);

-- Called with the reader's counters locked, so pieces stay apart by more than the gap, whatever the order. What lies
-- within a stretch of messages or a piece that is known proves nothing new, and is not written.
create function prove_listening(
  org integer, reader integer, since timestamptz, until timestamptz, learned timestamptz
) returns void language plpgsql as $$
declare
  gap constant interval := interval '15 seconds';
  joined record;
begin
  if exists (
    select from reader_counters counted
    where counted.org_id = org and counted.reader_id = reader
      and counted.heard_since <= since and counted.heard_until >= until
  ) or (
    select ended_at >= until from reader_spans
    where org_id = org and reader_id = reader and state = 'up' and started_at <= since
    order by started_at desc limit 1
  ) or (
    select ended_at >= until from reader_proofs
    where org_id = org and reader_id = reader and started_at <= since
    order by started_at desc limit 1
  ) then
    return;
  end if;
  with taken as (
    delete from reader_proofs proof
    where proof.org_id = org and proof.reader_id = reader and proof.ended_at >= since - gap
      and proof.started_at <= until + gap
      and proof.started_at >= coalesce((
        select before.started_at from reader_proofs before
        where before.org_id = org and before.reader_id = reader and before.started_at < since - gap
        order by before.started_at desc limit 1), '-infinity')
    returning proof.started_at, proof.ended_at, proof.learned_at
  )
  select min(taken.started_at) as started_at, max(taken.ended_at) as ended_at, max(taken.learned_at) as learned_at
  into joined from taken;
  insert into reader_proofs (org_id, reader_id, started_at, ended_at, learned_at)
  values (org, reader, least(since, joined.started_at), greatest(until, joined.ended_at),
    greatest(learned, joined.learned_at));
end $$;
