-- What replaying rejected messages and attaching unknown tags need.

-- Whether nothing of a message was ever looked at: only then were its unknown tags not counted yet, and only then may
-- it be replayed as another reader's.
alter table rejected_messages add column is_whole boolean not null default false;

-- Those still to be replayed, to find and to count them. `org_id` as it is, so that the index alone answers.
create index rejected_messages__to_be_replayed on rejected_messages (org_id, id) where replayed_at is null;

-- The list of unknown tags is an organization's own, and attaching one takes it off.
grant select, delete on unknown_tags to tagtrail_api;
