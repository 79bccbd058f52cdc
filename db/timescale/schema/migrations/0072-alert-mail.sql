-- E-mail of alerts: a recipient is a cursor into the move feed, as a webhook is, so nothing is queued.

-- A member of the organization whom a rule names, or named. Everything up to `position` was sent, was refused for good, or
-- was nothing to tell. `tried_at`: the last message was begun then, be it of another organization's row of the same user;
-- within a minute nobody begins another. `failures`: how often the same message was tried since; not again before
-- `not_before`.
create table alert_mail_recipients (
  org_id integer not null,
  user_id integer not null,
  position bigint not null,
  tried_at timestamptz,
  failures smallint not null default 0,
  not_before timestamptz,
  -- Of the last message that was sent, or refused for good; `error` is what the server said to the latest.
  sent_at timestamptz,
  refused_at timestamptz,
  error text,
  constraint alert_mail_recipients__org_id_user_id primary key (org_id, user_id),
  constraint alert_mail_recipients__org_id foreign key (org_id) references organizations (id),
  constraint alert_mail_recipients__user_id foreign key (user_id) references users (id),
  constraint alert_mail_recipients__error check (char_length(error) <= 300)
);

alter table alert_mail_recipients enable row level security, force row level security;
create policy own_organization on alert_mail_recipients to tagtrail_api
  using (org_id = current_org_id()) with check (org_id = current_org_id());
create policy every_organization on alert_mail_recipients to tagtrail_service using (true) with check (true);
