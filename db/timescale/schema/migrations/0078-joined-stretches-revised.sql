-- What is joined of a reader ends where a revision of it begins, whichever process takes that: those of the version before
-- joined stretches know nothing of them, and run beside new ones while all are replaced.
create function drop_joined_stretches() returns trigger language plpgsql as $$
begin
  delete from reader_joined_spans span using gone
  where span.org_id = gone.org_id and span.reader_id = gone.reader_id
    and span.ended_at >= gone.since - interval '15 seconds';
  return null;
end $$;
create trigger silence_revisions_drop_joined after delete on silence_revisions
  referencing old table as gone for each statement execute function drop_joined_stretches();
