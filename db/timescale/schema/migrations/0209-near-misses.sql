-- Messages that were ignored and hold something like a tag are kept among the rejected ones, one of a reader an hour: `near_miss`.
alter table rejected_messages
  add column if not exists kind text not null default 'rejected',
  add constraint rejected_messages__kind check (kind in ('rejected', 'near_miss')) not valid;
