-- Counting an organization's open messages reads an index alone only where the index has the column itself, and not an
-- expression of it: for the number beside the word “Inbox” all messages were looked at, with their payloads.
drop index rejected_messages__open;
create index rejected_messages__open on rejected_messages (org_id, id) where replayed_at is null and dismissed_at is null;
