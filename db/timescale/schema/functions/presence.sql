-- When readers could be heard: stretches of messages, proofs that they listened, delays, and what has to be derived
-- again.

-- Called where a stretch ends, or where messages come out of the order of their reception: of several processes one
-- may commit late. Everybody who changes a reader's stretches has locked its counters, so they stay apart by more
-- than the gap, whatever the order. What came out of order revises silences.
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

-- Deletes the stretches that reach into a time and returns what they were together. They are in order and apart, so
-- only the last one that began before can.
create or replace function take_heard_stretches(
  org integer, reader integer, earliest timestamptz, latest timestamptz,
  out since timestamptz, out until timestamptz, out messages bigint
) language sql as $$
  with taken as (
    delete from reader_spans span
    where org_id = org and reader_id = reader and state = 'up' and ended_at >= earliest and started_at <= latest
      and started_at >= coalesce((
        select before.started_at from reader_spans before
        where before.org_id = org and before.reader_id = reader and before.state = 'up'
          and before.started_at < earliest
        order by before.started_at desc limit 1), '-infinity')
    returning span.started_at, span.ended_at, span.messages
  )
  select min(started_at), max(ended_at), coalesce(sum(taken.messages), 0)::bigint from taken
$$;

-- The first messages of a reader, if there was a gap between them.
create or replace function keep_first_stretches() returns trigger language plpgsql as $$
begin
  update reader_counters set heard_late = heard_late where org_id = new.org_id and reader_id = new.reader_id;
  return null;
end $$;

-- What came late after a message in time was delayed since that.
create or replace function end_delays() returns trigger language plpgsql as $$
declare
  gap constant interval := interval '15 seconds';
  is_known boolean;
begin
  delete from reader_delays delay
  where delay.org_id = new.org_id and delay.reader_id = new.reader_id and delay.started_at < new.in_time_before
    and delay.ended_at > new.in_time_before and delay.ended_at <= new.in_time_before + gap;
  is_known := found;
  update reader_delays delay set started_at = new.in_time_before
  where delay.org_id = new.org_id and delay.reader_id = new.reader_id and delay.started_at < new.in_time_before
    and delay.ended_at > new.in_time_before;
  if is_known or found then
    perform revise_alerts(new.org_id, 'listening', new.reader_id, new.in_time_before);
  end if;
  new.in_time_before := null;
  return new;
end $$;

-- Called with the reader's counters locked, so rows stay apart.
create or replace function delay_listening(org integer, reader integer, since timestamptz, until timestamptz)
returns void language plpgsql as $$
declare
  joined record;
begin
  select count(*) as rows, min(started_at) as started_at, max(ended_at) as ended_at into joined
  from reader_delays delay
  where delay.org_id = org and delay.reader_id = reader and delay.started_at <= until and delay.ended_at >= since
    and delay.started_at >= coalesce((
      select max(before.started_at) from reader_delays before
      where before.org_id = org and before.reader_id = reader and before.started_at <= since), '-infinity');
  if joined.rows = 1 and joined.started_at <= since then
    update reader_delays set ended_at = until
    where org_id = org and reader_id = reader and started_at = joined.started_at and ended_at < until;
    return;
  end if;
  delete from reader_delays
  where org_id = org and reader_id = reader and started_at between joined.started_at and joined.ended_at;
  insert into reader_delays (org_id, reader_id, started_at, ended_at)
  values (org, reader, least(since, joined.started_at), greatest(until, joined.ended_at));
end $$;

-- Called with the reader's counters locked, so pieces stay apart by more than the gap, whatever the order. What lies
-- within a stretch of messages or a known piece proves nothing new, and is not written; but hearing a reader while
-- its reads came late proves nothing, so late reads of then do. A piece that grows at its end no faster than time
-- passes, as with a clock that is behind, changes no alert.
create or replace function prove_listening(
  org integer, reader integer, since timestamptz, until timestamptz, learned timestamptz
) returns void language plpgsql as $$
declare
  gap constant interval := interval '15 seconds';
  jitter constant interval := interval '2 seconds';
  joined record;
begin
  if (
    select ended_at >= until from reader_proofs
    where org_id = org and reader_id = reader and started_at <= since
    order by started_at desc limit 1
  ) or (
    exists (
      select from reader_counters counted
      where counted.org_id = org and counted.reader_id = reader
        and counted.heard_since <= since and counted.heard_until >= until
    ) or (
      select ended_at >= until from reader_spans
      where org_id = org and reader_id = reader and state = 'up' and started_at <= since
      order by started_at desc limit 1
    )
  ) and not coalesce((
    select ended_at >= since from reader_delays
    where org_id = org and reader_id = reader and started_at <= until
    order by started_at desc limit 1
  ), false) then
    return;
  end if;
  update reader_proofs proof set ended_at = until, learned_at = greatest(learned, proof.learned_at)
  where proof.org_id = org and proof.reader_id = reader and proof.started_at = (
      select max(before.started_at) from reader_proofs before
      where before.org_id = org and before.reader_id = reader and before.started_at <= until + gap)
    and proof.started_at <= since and proof.ended_at >= since - gap
    and until - proof.ended_at <= learned - proof.learned_at + jitter;
  if found then
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

create or replace function revise_silences(org integer, reader integer, from_then timestamptz) returns void language sql as $$
  insert into silence_revisions as kept (org_id, reader_id, since) values (org, reader, from_then)
  on conflict (org_id, reader_id) do update set since = least(kept.since, excluded.since)
$$;

create or replace function revise_silences_of_expectation() returns trigger language plpgsql as $$
begin
  perform revise_silences(new.org_id, new.reader_id, new.valid_from);
  return null;
end $$;

create or replace function revise_silences_of_deleted() returns trigger language plpgsql as $$
begin
  perform revise_silences(new.org_id, new.id, new.deleted_at);
  return null;
end $$;

create or replace function revise_silences_of_first() returns trigger language plpgsql as $$
begin
  perform revise_silences(new.org_id, new.reader_id, new.heard_since);
  return null;
end $$;

-- What is joined of a reader ends where a revision of it begins, whichever process takes that.
create or replace function drop_joined_stretches() returns trigger language plpgsql as $$
begin
  delete from reader_joined_spans span using gone
  where span.org_id = gone.org_id and span.reader_id = gone.reader_id
    and span.ended_at >= gone.since - interval '15 seconds';
  return null;
end $$;
