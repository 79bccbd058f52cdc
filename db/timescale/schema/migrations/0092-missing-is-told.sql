-- An asset that goes from overdue to missing is an event, as a warning that becomes an alarm is: it was told to nobody.
drop trigger alerts_updated_told on alerts;
create trigger alerts_updated_told after update on alerts for each row
  when (old.state <> new.state
    or (new.state <> 'closed' and ((old.level is distinct from new.level and new.level = 'alarm')
      or (new.kind = 'overdue' and old.alarm_at is null and new.alarm_at is not null))))
  execute function tell_alert();
