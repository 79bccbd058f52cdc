-- Which administrator made a link, and of which organization: it is good only as long as they are one. Null for links
-- of the command line and of the first start, and for those that were made before this was kept.
alter table user_links
  add column made_by integer,
  add column made_in integer,
  add constraint user_links__made_by foreign key (made_by) references users (id),
  add constraint user_links__made_in foreign key (made_in) references organizations (id),
  add constraint user_links__maker check (num_nonnulls(made_by, made_in) in (0, 2));
