-- Ids are drawn for rows that are about to be committed only: what is drawn and not used is lost to all organizations.
--
-- The rows of an import have other ids until it is known that it will be committed. They are unique among those of one
-- organization, which imports one file at a time, so that the sequence can begin again.
create sequence placeholder_ids as integer minvalue -2147483648 maxvalue -1 start -2147483648 cycle;
grant usage on sequence placeholder_ids to tagtrail_api;

-- The parts of a count are made and taken back as often as writers meet.
alter table live_row_counts alter column slot type bigint;
