-- The processes watch how much of each sequence of ids is used.
grant select on sequence assets_id_seq, locations_id_seq, tags_id_seq, organizations_id_seq, readers_id_seq,
  handhelds_id_seq, smoothing_settings_id_seq to tagtrail_access;
