-- When readers could be heard.
--
-- A stretch of messages: of a reader's messages, however many processes heard them, each came within 15 s of the one
-- before. Longer gaps lie between stretches, so that nothing is lost from which it can be learned how long a reader's
-- silence usually is, if that is counted as 30 s at least (twice the longest gap but one in a thousand). The last stretch
-- of a reader is in `reader_counters`, since each commit writes that anyway, the stretches before it are in
-- `reader_spans`.

-- `heard_since`, `heard_until`: times of reception of the first and the last message of the stretch, by the service's
-- clock; null of readers not heard since this is kept. `heard_late`: stretches that a commit hands to the trigger, as
-- `[[micros since 1970, micros, messages]]`; never stored.
alter table reader_counters
  add column heard_since timestamptz,
  add column heard_until timestamptz,
  add column heard_messages bigint,
  add column heard_late jsonb;

-- `state`: `up`: messages were received (`messages`: how many); `disconnected`: from its last disconnect from the
-- embedded broker to its next connect, without `ended_at` until then. `silent` is for silences that are derived.
create table reader_spans (
  org_id integer not null,
  reader_id integer not null,
  state text not null,
  started_at timestamptz not null,
  ended_at timestamptz,
  messages bigint,
  constraint reader_spans__org_id_reader_id_state_started_at primary key (org_id, reader_id, state, started_at),
  constraint reader_spans__org_id_reader_id foreign key (org_id, reader_id) references readers (org_id, id),
  constraint reader_spans__state check (state in ('up', 'silent', 'disconnected')),
  constraint reader_spans__ended_at check (ended_at >= started_at),
  constraint reader_spans__messages check ((state = 'up') = (messages is not null)),
  constraint reader_spans__up check (state <> 'up' or ended_at is not null)
);
create unique index reader_spans__org_id_reader_id_open on reader_spans (org_id, reader_id, state)
  where ended_at is null;

-- Readers that are connected to the embedded broker: who is still in here when a broker starts was cut off by the end of
-- the one before.
create table reader_connections (
  org_id integer not null,
  reader_id integer not null,
  connected_at timestamptz not null,
  constraint reader_connections__org_id_reader_id primary key (org_id, reader_id),
  constraint reader_connections__org_id_reader_id_fkey foreign key (org_id, reader_id) references readers (org_id, id)
);

do $$
declare
  tenant_table text;
begin
  foreach tenant_table in array array['reader_spans', 'reader_connections'] loop
    execute format('alter table %I enable row level security, force row level security', tenant_table);
    execute format(
      'create policy own_organization on %I to tagtrail_api
       using (org_id = current_org_id()) with check (org_id = current_org_id())', tenant_table);
    execute format(
      'create policy every_organization on %I to tagtrail_service using (true) with check (true)', tenant_table);
  end loop;
end $$;

-- Called where a stretch ends, or where messages come out of the order of their reception: of several processes one may
-- commit late. Everybody who changes a reader's stretches has locked its counters, so they stay apart by more than the
-- gap, whatever the order.
create function keep_heard_stretches() returns trigger language plpgsql as $$
declare
  gap constant interval := interval '15 seconds';
  late record;
  joined record;
begin
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

-- Deletes the stretches that reach into a time and tells what they were together. They are in order and apart, so only
-- the last one that began before can.
create function take_heard_stretches(
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

create trigger reader_counters_heard before update on reader_counters for each row
  when (new.heard_since is distinct from old.heard_since or new.heard_late is not null)
  execute function keep_heard_stretches();

-- The first messages of all, if there was a gap between them.
create function keep_first_stretches() returns trigger language plpgsql as $$
begin
  update reader_counters set heard_late = heard_late where org_id = new.org_id and reader_id = new.reader_id;
  return null;
end $$;
create trigger reader_counters_first_heard after insert on reader_counters for each row
  when (new.heard_late is not null)
  execute function keep_first_stretches();
