-- Messages that somebody has to look at: neither replayed nor dismissed. The console lists and counts them, newest first,
-- among up to 10,000 of an organization; what replays all of them has asked for the same ones since they can be dismissed.
create index rejected_messages__open on rejected_messages (coalesce(org_id, 0), id)
  where replayed_at is null and dismissed_at is null;
drop index rejected_messages__to_be_replayed;
