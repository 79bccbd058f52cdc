-- By statement: an asset may lose ten thousand tags at once.
\ir ../functions/alerts.sql
drop trigger tags_revise_alerts on tags;
create trigger tags_revise_alerts after update on tags referencing old table as old_tags new table as new_tags
  for each statement execute function revise_alerts_of_detached_tags();
