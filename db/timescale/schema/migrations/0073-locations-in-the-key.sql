-- Histories are read from the key alone: the location is beside it, so that a report on a month need not visit the rows, which
-- lie in the order of their recording, each of an asset's on another page: 322 ms of a core instead of 557 for a location at 1e7.
--
-- Everybody waits while the key is built, some 15 s for 1e7 rows. A weaker lock first would have to wait for recorders that wait for it.
alter table location_transitions drop constraint location_transitions__org_id_asset_id_observed_at;
alter table location_transitions add constraint location_transitions__org_id_asset_id_observed_at
  primary key (org_id, asset_id, observed_at) include (location_id);

-- Rows count as visible to all, and are not visited, once their page was vacuumed since the last change. By default that is
-- when a fifth of the table is new: of a year's history the last two months.
alter table location_transitions set (autovacuum_vacuum_insert_scale_factor = 0.01);
