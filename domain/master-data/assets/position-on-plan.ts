import { sql } from '../../../db/timescale/queries/sql.ts';

/** Whether a `position` was decided on a plan since the asset came to its location. Before that it says where the asset was. */
export const IS_ON_PLAN = sql.fragment`position.position_observed_at >= coalesce(position.since, position.position_observed_at)`;

/** Where on a plan the asset of a `position` is, as the API's JSON; null if that is not known. */
export const POSITION_ON_PLAN = sql.fragment`case when ${IS_ON_PLAN} then json_build_object(
      'plan_location_id', position.position_plan_location_id,
      'x', round(position.position_x::numeric, 2),
      'y', round(position.position_y::numeric, 2),
      'radius_m', round(position.position_radius::numeric, 2),
      'observed_at', to_char(position.position_observed_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
    )::text end`;
