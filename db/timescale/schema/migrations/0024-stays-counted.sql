-- How many rows of history an asset has, kept for stretches of it, so that the total of a page costs the stretches and
-- not the rows: 20 to 50 ms for 100,000 rows without.
--
-- A mark stands at an instant, and its `stays` are the rows from the mark before (or the beginning) up to that instant, it
-- included. What is later than the last mark is counted itself, and so are the rows at both ends of a period. Who makes
-- marks, and where, matters to the speed only; the recorder makes one for some 500 rows (mark_history). From then on
-- triggers keep them, whoever writes.
--
-- Whoever adds or removes rows of an asset's history holds its position; so what a mark was made of does not change
-- meanwhile.
create table history_marks (
  org_id integer not null,
  asset_id integer not null,
  observed_at timestamptz not null,
  stays bigint not null,
  constraint history_marks__org_id_asset_id_observed_at primary key (org_id, asset_id, observed_at) include (stays)
);
alter table history_marks enable row level security, force row level security;
create policy own_organization on history_marks to tagtrail_api
  using (org_id = current_org_id()) with check (org_id = current_org_id());
create policy every_organization on history_marks to tagtrail_service using (true) with check (true);
grant select on history_marks to tagtrail_api;

create function keep_history_mark() returns trigger language plpgsql as $$
declare
  changed public.location_transitions := case when tg_op = 'INSERT' then new else old end;
begin
  update public.history_marks set stays = stays + case when tg_op = 'INSERT' then 1 else -1 end
  where org_id = changed.org_id and asset_id = changed.asset_id and observed_at = (
    select mark.observed_at from public.history_marks mark
    where mark.org_id = changed.org_id and mark.asset_id = changed.asset_id
      and mark.observed_at >= changed.observed_at
    order by mark.observed_at limit 1
  );
  return null;
end $$;

-- Marks instants at which histories have rows, after these have been written, by whoever holds the positions. No mark is
-- ever later than the asset was last seen.
create function mark_histories(org_ids integer[], asset_ids integer[], instants timestamptz[]) returns void
language plpgsql as $$
declare
  made record;
  before timestamptz;
  counted bigint;
begin
  for made in
    select * from unnest(org_ids, asset_ids, instants) as given (org_id, asset_id, observed_at) order by 1, 2, 3
  loop
    continue when exists (
      select from history_marks
      where org_id = made.org_id and asset_id = made.asset_id and observed_at = made.observed_at
    ) or not exists (
      select from location_transitions
      where org_id = made.org_id and asset_id = made.asset_id and observed_at = made.observed_at);
    before := coalesce((
      select observed_at from history_marks
      where org_id = made.org_id and asset_id = made.asset_id and observed_at < made.observed_at
      order by observed_at desc limit 1), '-infinity');
    counted := (
      select count(*) from location_transitions
      where org_id = made.org_id and asset_id = made.asset_id
        and observed_at > before and observed_at <= made.observed_at);
    update history_marks set stays = stays - counted
    where org_id = made.org_id and asset_id = made.asset_id and observed_at = (
      select observed_at from history_marks
      where org_id = made.org_id and asset_id = made.asset_id and observed_at > made.observed_at
      order by observed_at limit 1);
    insert into history_marks (org_id, asset_id, observed_at, stays)
    values (made.org_id, made.asset_id, made.observed_at, counted);
  end loop;
end $$;

-- Makes all marks anew; recorders wait, readers do not. For copies of a database, and for an administrator who brought
-- rows in or out past the triggers.
create function recount_histories() returns void language sql as $$
  lock table location_transitions in share row exclusive mode;
  delete from history_marks;
  insert into history_marks (org_id, asset_id, observed_at, stays)
  select org_id, asset_id, observed_at, 512
  from (
    select org_id, asset_id, observed_at,
      row_number() over (partition by org_id, asset_id order by observed_at) as number
    from location_transitions
  ) numbered
  where number % 512 = 0;
$$;
revoke execute on function mark_histories, recount_histories from public;
grant execute on function mark_histories to tagtrail_service;

-- Which histories are long is looked up while everybody writes: one that becomes it meanwhile gets its marks from the
-- recorder. Recorders wait while those are marked: half a second of a core for a million rows of long histories.
create temporary table long_histories on commit drop as
  select org_id, asset_id from location_transitions group by org_id, asset_id having count(*) >= 512;
analyze long_histories;
lock table location_transitions in share row exclusive mode;
insert into history_marks (org_id, asset_id, observed_at, stays)
select org_id, asset_id, observed_at, 512
from (
  select org_id, asset_id, stay.observed_at, row_number() over (partition by org_id, asset_id order by stay.observed_at) as number
  from long_histories
  cross join lateral (
    select observed_at from location_transitions
    where location_transitions.org_id = long_histories.org_id and location_transitions.asset_id = long_histories.asset_id
    offset 0
  ) stay
) numbered
where number % 512 = 0;

-- What is later than all that an asset has is later than its last mark, too: the recorder says so for the statement that
-- adds such rows, and the trigger need not look. If all assets move it would take a third more of the database's time.
create trigger location_transitions_added after insert on location_transitions
  for each row when (current_setting('tagtrail.adds_newest', true) is distinct from 'on')
  execute function keep_history_mark();
create trigger location_transitions_removed after delete on location_transitions
  for each row execute function keep_history_mark();
