-- The locations below one, or all of them, depth first, in time that grows with their number. A path for each row to sort
-- by grows with the square of the depth: 3 GB for a chain of 15,000.
--
-- 1. Level by level, each location learns what comes after everything below it: its next sibling, or else whatever comes
--    after everything below its parent.
-- 2. What comes after a location itself is its first child, or else what step 1 found. Following that from the start visits
--    every location once.
--
-- Children are looked up one parent at a time: a join may be planned as one that reads every location for each level.
create function locations_below(of_org_id integer, root_id integer)
returns table (id integer, place integer) language plpgsql stable as $$
declare
  ids integer[];
  following integer[];
  places integer[];
  at integer;
  visited integer := 0;
begin
  with recursive tree as (
    (
      select location.id, location.parent_id, lower(location.external_key) as folded_key, location.external_key,
        lead(location.id) over siblings as behind
      from locations location
      where location.org_id = of_org_id and location.parent_id = root_id
      window siblings as (order by lower(location.external_key), location.external_key, location.id)
      union all
      select location.id, location.parent_id, lower(location.external_key), location.external_key,
        lead(location.id) over siblings
      from locations location
      where root_id is null and location.org_id = of_org_id and location.parent_id is null
      window siblings as (order by lower(location.external_key), location.external_key, location.id)
    )
    union all
    select child.id, child.parent_id, child.folded_key, child.external_key, coalesce(child.behind, tree.behind)
    from tree cross join lateral (
      select location.id, location.parent_id, lower(location.external_key) as folded_key, location.external_key,
        lead(location.id) over (order by lower(location.external_key), location.external_key, location.id) as behind
      from locations location
      where location.org_id = of_org_id and location.parent_id = tree.id
    ) child
  ),
  numbered as (
    select *, row_number() over (order by tree.parent_id, folded_key, external_key, tree.id)::integer as number from tree
  ),
  first_children as (
    select distinct on (parent_id) parent_id, number from numbered order by parent_id, number
  )
  select array_agg(each.id order by each.number),
    array_agg(coalesce(child.number, behind.number) order by each.number),
    min(each.number) filter (where each.parent_id is not distinct from root_id)
  into ids, following, at
  from numbered each
  left join first_children child on child.parent_id = each.id
  left join numbered behind on behind.id = each.behind;
  places := array_fill(0, array[coalesce(cardinality(ids), 0)]);
  while at is not null loop
    visited := visited + 1;
    places[at] := visited;
    at := following[at];
  end loop;
  return query select * from unnest(ids, places);
end $$;
