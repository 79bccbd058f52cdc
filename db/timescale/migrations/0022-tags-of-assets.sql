-- An import gives its assets their ids when nothing can be refused any more, and PostgreSQL then looks for tags that
-- refer to the ids they had: among detached ones too, which the index did not have, so that it went through all tags of
-- the organization for each asset. 20,000 rows took more than 30 s, and take 4.
--
-- Writers wait, readers do not: 1 s for a million tags.
lock table tags in share row exclusive mode;
drop index tags__org_id_asset_id;
create index tags__org_id_asset_id on tags (org_id, asset_id);
