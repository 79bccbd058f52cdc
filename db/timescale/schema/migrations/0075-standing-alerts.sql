-- Alerts are kept for good, and those that are not over are what people look at: 8 ms instead of 275 for their list, and 4
-- instead of 277 for their number, of a million alerts with 10,000 of them.
create index alerts__standing on alerts (org_id, opened_at, id) include (state) where state in ('open', 'acknowledged');
-- Those that were open at some time since: 56 ms instead of 500 for the last day.
create index alerts__org_id_closed_at_index on alerts (org_id, closed_at);
