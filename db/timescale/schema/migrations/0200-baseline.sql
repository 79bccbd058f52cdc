-- The schema of version 0.2, in the order in which one part needs another. Migrations after this one change tables; what
-- they make of them is in ../schema.sql. `\ir` puts a file in its place, as in psql.
\ir ../roles.sql

-- Before the tables, whose triggers, policies and indexes name functions. So what is in them is not looked at yet.
set local check_function_bodies = off;
\ir ../functions.sql

\ir ../tables/organizations.sql
\ir ../tables/people.sql
\ir ../tables/changes.sql
\ir ../tables/master-data.sql
\ir ../tables/imports.sql
\ir ../tables/plans.sql
\ir ../tables/devices.sql
\ir ../tables/messages.sql
\ir ../tables/handheld-work.sql
\ir ../tables/tracking.sql
\ir ../tables/moves.sql
\ir ../tables/mqtt-moves.sql
\ir ../tables/webhooks.sql
\ir ../tables/presence.sql
\ir ../tables/alerts.sql

\ir ../access.sql

do $$
begin
  perform create_search_indexes();
end $$;
