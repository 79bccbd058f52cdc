-- Lanes whose progress somebody set anew while a process delivers for them: it records nothing more there, waits for its
-- requests that are under way, and lets go. Only then may another process claim them, or an event could arrive after a
-- later one of its asset.
alter table webhook_lanes add column is_reset boolean not null default false;
