-- The API reports sweeps, and the handhelds with which they were made.
grant select on sweeps, sweep_assets to tagtrail_api;
grant select (org_id, id, name) on handhelds to tagtrail_api;
