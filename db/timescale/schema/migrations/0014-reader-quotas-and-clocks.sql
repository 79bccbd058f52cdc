-- How long a reader's quota held it back, and how its clock compares with the service's.
alter table reader_counters add column throttled_ms bigint not null default 0;

-- The least received minus observed of each of the last minutes in which it sent times of its own, in milliseconds, the
-- last one last; and which minute that is, since 1970. See services/mqtt-ingest/intake/reader-clocks.ts.
alter table reader_counters add column clock_minute integer;
alter table reader_counters add column clock_offsets_ms bigint[] not null default '{}';
