-- Reports about the past walk down the tree of then.
create index location_versions__parent on location_versions (org_id, parent_id) where parent_id is not null;
