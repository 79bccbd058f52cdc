-- Whose own a format is: who administers an organization in the console writes formats that no other organization sees or
-- uses. Those of the command line are the installation's, as all were before. Names stay unique, as readers have them.
alter table formats
  add column org_id integer,
  add constraint formats__org_id foreign key (org_id) references organizations (id);
