-- The rules of which alerts wait, so that whoever looks after them is told which; none where a process of the version before
-- noted it.
alter table alert_floods add column rule_ids text[] collate "C" not null default '{}';
