-- Strength at 1 m of kinds of tags, by how their values begin: `AC233F=-65, DD33=-70.5`. Of `position` only.
alter table location_settings
  add column if not exists tag_kinds text collate "C",
  add constraint location_settings__tag_kinds check (
    tag_kinds is null or (procedure = 'position' and char_length(tag_kinds) between 1 and 2000)) not valid;
