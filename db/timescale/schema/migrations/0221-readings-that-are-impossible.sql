-- Reads with a measured value that is impossible, such as a battery at 255 %; one of these, and when the last came. And pushes
-- over HTTP that were refused since the reader sent too much.
alter table reader_flaws
  add column readings_unusable bigint not null default 0,
  add column readings_example text,
  add column readings_unusable_at timestamptz,
  add column pushes_refused bigint not null default 0;
