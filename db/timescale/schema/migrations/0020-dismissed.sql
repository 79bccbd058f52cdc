-- What somebody has looked at and wants to see no more: an unknown tag is read and counted on, a rejected message is kept
-- and counted on, and neither is listed unless it is asked for.

alter table unknown_tags add column ignored_at timestamptz;
alter table rejected_messages add column dismissed_at timestamptz;

grant update (ignored_at) on unknown_tags to tagtrail_api;
