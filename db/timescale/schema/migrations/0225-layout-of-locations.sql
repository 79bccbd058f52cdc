-- Rises with `version`, except for settings and new locations: scans in memory stay there when only these change.
alter table location_sites add column layout bigint not null default 1;
