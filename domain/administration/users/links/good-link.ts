import { sql } from '../../../../db/timescale/queries/sql.ts';

/**
 * Condition on a row `link`: not used, not expired, and its author is still an administrator there, because the author
 * may have kept the link. By the clock of the statement, which may have waited.
 */
export const GOOD_LINK = sql.fragment`
  link.used_at is null and link.expires_at > clock_timestamp() and (link.made_by is null or exists (
    select from memberships maker join users account on account.id = maker.user_id and not account.is_disabled
    where maker.user_id = link.made_by and maker.org_id = link.made_in and maker.role = 'admin'))`;
