-- Who made a setting, beside the change log, in which it would be found only by reading all of an organization's changes.
-- Null for settings that were made before this was kept.
alter table smoothing_settings
  add column actor_type text,
  add column actor_id text collate "C",
  add constraint smoothing_settings__actor check (num_nonnulls(actor_type, actor_id) in (0, 2));
