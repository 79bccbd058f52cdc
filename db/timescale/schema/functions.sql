-- Every function, as it is now. These files are applied after the migrations whenever one of them changed, so a change of a
-- function is an edit of its file. Another list of arguments, or another result, takes a migration that drops the function.
\ir functions/base.sql
\ir functions/changes.sql
\ir functions/announcements.sql
\ir functions/live-counts.sql
\ir functions/locations.sql
\ir functions/location-sites.sql
\ir functions/search.sql
\ir functions/history.sql
\ir functions/moves.sql
\ir functions/presence.sql
\ir functions/alerts.sql
