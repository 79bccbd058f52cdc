-- Scans observed before this may have been dropped, of which some proved nothing and left no transition; null if none were since
-- the organization has settings. What is within 30 s after it is not decided again.
alter table location_sites add column scans_dropped_before timestamptz;
