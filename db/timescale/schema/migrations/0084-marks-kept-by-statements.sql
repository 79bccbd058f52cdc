-- The recorder adjusts the marks of histories (migration 0024) by one statement for all rows of a batch, and says so with
-- `tagtrail.keeps_marks`, so that the triggers need not: they took 15 us a row, and longer the more rows of one stretch
-- were written in one transaction, as each made another version of the same mark. Whoever else writes has the triggers.
drop trigger location_transitions_added on location_transitions;
create trigger location_transitions_added after insert on location_transitions
  for each row when (current_setting('tagtrail.keeps_marks', true) is distinct from 'on')
  execute function keep_history_mark();
drop trigger location_transitions_removed on location_transitions;
create trigger location_transitions_removed after delete on location_transitions
  for each row when (current_setting('tagtrail.keeps_marks', true) is distinct from 'on')
  execute function keep_history_mark();
