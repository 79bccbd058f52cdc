-- As 0022 for locations, which can be imported too: detached tags are among those that may refer to a location's id. The
-- tags of assets, nearly all there are, have no place in the index.
--
-- Writers wait while it goes through the table once, readers do not.
lock table tags in share row exclusive mode;
create index tags__org_id_location_id_of_all on tags (org_id, location_id) where location_id is not null;
drop index tags__org_id_location_id;
alter index tags__org_id_location_id_of_all rename to tags__org_id_location_id;
