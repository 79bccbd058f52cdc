-- Assets and readers whose alerts are not derived, as there is too much evidence of them: the first hundred of each.
alter table alert_cursors
  add column if not exists left_out_assets integer[] not null default '{}',
  add column if not exists left_out_readers integer[] not null default '{}';
