-- Why the deciding scan of a transition counts where smoothing asks for a proof: `no_rival`, `long_enough` or `stronger`.
-- Null where it asks for none (a handheld's scan, a location that is not smoothed), and on rows from before this was kept.
alter table location_transitions add column proof text;
