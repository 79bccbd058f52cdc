-- The report at a location counts the positions there, and takes away those of assets that are deleted, which are few, instead
-- of looking every asset up: 20,000 positions in 5 ms of a core instead of 35.
--
-- Who writes assets waits while it goes through the table once, readers do not: 0.15 s of a core for a million.
create index assets__org_id_id_deleted on assets (org_id, id) where deleted_at is not null;
