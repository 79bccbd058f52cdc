-- Sign-ins that were refused, so that doctor knows of them whichever process they came to: counts by ten minutes and
-- name, kept for a day. A name is what a stranger gave, never a secret: a reader's user name, the id in an API key or a
-- handheld's token; empty for what had none, or came after the names of which a process keeps count.
create table refused_sign_ins (
  period timestamptz not null,
  kind text collate "C" not null,
  name text collate "C" not null,
  count bigint not null,
  last_at timestamptz not null,
  address text not null,
  constraint refused_sign_ins__period_kind_name primary key (period, kind, name),
  constraint refused_sign_ins__kind check (kind in ('reader', 'key', 'handheld')),
  constraint refused_sign_ins__name check (char_length(name) <= 255),
  constraint refused_sign_ins__address check (char_length(address) <= 100)
);

grant select, insert, update, delete on refused_sign_ins to tagtrail_access;
