-- The sealer looks into the queue organization by organization, so that the backlog of one does not delay the others'.
alter table unsealed_moves drop constraint unsealed_moves__id_part;
alter table unsealed_moves add constraint unsealed_moves__org_id_id_part primary key (org_id, id, part);

-- A row is dead within a fraction of a second: vacuumed by their number, whatever the size of the table, and not
-- truncated, which would lock out those who write. What statistics would say is wrong as soon as it is written.
alter table unsealed_moves set (
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0,
  autovacuum_vacuum_insert_threshold = -1, autovacuum_analyze_scale_factor = 0,
  autovacuum_analyze_threshold = 2000000000, vacuum_truncate = off,
  toast.autovacuum_vacuum_scale_factor = 0, toast.autovacuum_vacuum_threshold = 5000,
  toast.autovacuum_vacuum_cost_delay = 0, toast.vacuum_truncate = off);

-- Written with every batch: with room for the next versions of a row beside it, no index entry is needed for them.
alter table move_heads set (
  fillfactor = 10, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000,
  autovacuum_vacuum_cost_delay = 0);
