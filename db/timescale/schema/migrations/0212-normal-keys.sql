-- What a tag names in any notation, where that is not its `tag_key`. Null, too, for tags that a version without this column attached:
-- the worker adds theirs, and until then reads find them by `tag_key`.
alter table tags add column if not exists normal_key text collate "C";
