-- Histories are recomputed for a setting of the past (`setting_id`), or all of an organization (0): how far that is, how many
-- assets there are to look at (null before it began), and what came of it.
alter table history_recomputations
  add column setting_id integer not null default 0,
  add column asset_count integer,
  add column looked integer not null default 0,
  add column assets integer not null default 0,
  add column changed integer not null default 0,
  add column written bigint not null default 0,
  add column removed bigint not null default 0,
  drop constraint history_recomputations__org_id,
  add constraint history_recomputations__org_id_setting_id primary key (org_id, setting_id);
