-- Browsers that users signed in with, by the digest of a cookie: whoever fails on purpose elsewhere does not lock them out.
create table known_devices (
  user_id integer not null,
  digest bytea not null,
  used_at timestamptz not null default now(),
  constraint known_devices__user_id_digest primary key (user_id, digest),
  constraint known_devices__user_id foreign key (user_id) references users (id),
  constraint known_devices__digest_length check (octet_length(digest) = 32)
);

alter table known_devices enable row level security;
alter table known_devices force row level security;
create policy people on known_devices to tagtrail_people using (true) with check (true);
create policy every_organization on known_devices to tagtrail_service using (true) with check (true);
grant select, insert, update, delete on known_devices to tagtrail_people;
