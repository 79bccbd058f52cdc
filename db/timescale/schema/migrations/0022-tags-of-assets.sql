-- An import gives its assets their ids when nothing can be refused any more, and PostgreSQL then looks for tags that
-- refer to the ids they had: among detached ones too, which the index did not have, so that it went through all tags of
-- the organization for each asset. 20,000 rows took more than 30 s, and take 4.
--
-- Writers wait: 1 s for a million tags. Readers do not, because the index there was is dropped when the other is made.
lock table tags in share row exclusive mode;
create index tags__org_id_asset_id_of_all on tags (org_id, asset_id);
drop index tags__org_id_asset_id;
alter index tags__org_id_asset_id_of_all rename to tags__org_id_asset_id;
