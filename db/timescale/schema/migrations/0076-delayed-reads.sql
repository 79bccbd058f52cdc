-- When what readers sent came late, so that hearing them proved nothing: a clock that is behind, or reads that were buffered.

-- From the last message with reads in time, or from the newest read in the first that came late if that is later, up to the
-- last message that did. A message's reads are late if the newest is older than 15 s when it is received. What is within 15 s
-- of a message in time is left out: old reads are sent between new ones then. Rows of a reader are apart.
create table reader_delays (
  org_id integer not null,
  reader_id integer not null,
  started_at timestamptz not null,
  ended_at timestamptz not null,
  constraint reader_delays__org_id_reader_id_started_at primary key (org_id, reader_id, started_at),
  constraint reader_delays__org_id_reader_id foreign key (org_id, reader_id) references readers (org_id, id),
  constraint reader_delays__ended_at check (ended_at >= started_at)
);

alter table reader_delays enable row level security, force row level security;
create policy own_organization on reader_delays to tagtrail_api
  using (org_id = current_org_id()) with check (org_id = current_org_id());
create policy every_organization on reader_delays to tagtrail_service using (true) with check (true);

grant select on reader_delays to tagtrail_api;

-- A row that only grows changes nothing that was said: what it takes away, the reads that came prove.
create trigger reader_delays_revise_alerts after insert on reader_delays for each row
  execute function revise_alerts_of_row('listening', 'reader_id', 'started_at');

-- When the last message was received of which reads came in time, and the last of which they came late. `in_time_before` is
-- how a commit hands over to the trigger below what was received in time before something late that is known already, from
-- another process; always null in the table.
alter table reader_counters
  add column in_time_at timestamptz,
  add column late_at timestamptz,
  add column in_time_before timestamptz;

grant select (in_time_at) on reader_counters to tagtrail_api;

-- What came late after a message in time was delayed since that.
create function end_delays() returns trigger language plpgsql as $$
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
create trigger reader_counters_in_time_before before update on reader_counters for each row
  when (new.in_time_before is not null) execute function end_delays();

-- Called with the reader's counters locked, so rows stay apart.
create function delay_listening(org integer, reader integer, since timestamptz, until timestamptz)
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

-- As before; but what a reader was heard while its reads came late proves nothing, so late reads of then do. A piece that
-- grows at its end no faster than time passes, as with a clock that is behind, says nothing new of alerts.
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
