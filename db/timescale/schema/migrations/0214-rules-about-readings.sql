-- Rules about what tags measure: `reading` is a kind of reading, raised while its values are `above` or `below` a bound, and until
-- they are back by `hysteresis`.
alter table rules
  add column if not exists reading text,
  add column if not exists above double precision,
  add column if not exists below double precision,
  add column if not exists hysteresis double precision,
  drop constraint rules__kind,
  add constraint rules__kind
    check (kind in ('overdue', 'dwell', 'not_allowed', 'must_be', 'reader', 'reading', 'battery_low')) not valid,
  add constraint rules__reading check (num_nonnulls(above, below) = case when reading is null then 0 else 1 end
    and (kind in ('reading', 'battery_low')) = (reading is not null)) not valid,
  add constraint rules__hysteresis check (hysteresis is null or hysteresis >= 0 and reading is not null) not valid;
-- Every batch with readings asks which organizations have such rules.
create index rules__of_readings on rules (org_id) where reading is not null;
alter table alerts
  drop constraint alerts__kind,
  add constraint alerts__kind
    check (kind in ('overdue', 'dwell', 'not_allowed', 'must_be', 'reader', 'reading', 'battery_low')) not valid;

-- What a tag measured last counts until it is taken off.
create trigger tags_revise_alerts after update of detached_at on tags for each row
  when (old.detached_at is null and new.detached_at is not null and new.asset_id is not null)
  execute function revise_alerts_of_row('asset', 'asset_id', 'detached_at');
