import { sql } from '../../db/timescale/queries/sql.ts';

/** The columns that `eventOf` takes from a `move`, joined with {@link NAMED}. */
export const NAMED_COLUMNS = sql.fragment`
  move.org_id, move.position, move.asset_id, asset.external_key as asset_external_key, asset.name as asset_name, move.kind, move.part, move.parts,
  move.recorded_at, move.location_id, location.external_key as location_external_key, move.since, move.last_seen,
  move.previous_location_id, move.duration_seconds, move.rows, named.keys, alert.reader_name, alert.location_external_key as alert_location_external_key`;

/**
 * The present names for a `move`, including deleted rows. `offset 0` makes PostgreSQL look up each location; otherwise
 * the planner would read all of the organization's for every event.
 */
export const NAMED = sql.fragment`
  left join lateral (
    select (told ->> 'asset_id')::integer as asset_id,
      (select name from readers where org_id = move.org_id and id = (told ->> 'reader_id')::integer) as reader_name,
      (select external_key from locations where org_id = move.org_id and id = (told ->> 'location_id')::integer)
        as location_external_key
    from (select move.rows -> 'alert' -> 0) alert (told)
  ) alert on move.asset_id is null
  left join assets asset on asset.org_id = move.org_id and asset.id = coalesce(move.asset_id, alert.asset_id)
  left join locations location on location.org_id = move.org_id and location.id = move.location_id
  left join lateral (
    select json_object_agg(named.id, named.external_key) as keys
    from (
      select distinct id
      from json_each(move.rows) list, json_array_elements(list.value) entry,
        lateral (values ((entry ->> 1)::int4), ((entry ->> 3)::int4)) there (id)
    ) used
    cross join lateral (
      select id, external_key from locations where org_id = move.org_id and locations.id = used.id offset 0
    ) named
  ) named on move.rows is not null and move.asset_id is not null`;
