-- Who is no member any more has no e-mail of alerts waiting, and who becomes one again is sent nothing from before.
grant select (org_id, user_id), delete on alert_mail_recipients to tagtrail_people;
create policy people on alert_mail_recipients to tagtrail_people using (true);

delete from alert_mail_recipients recipient
where not exists (
  select from memberships membership
  where membership.org_id = recipient.org_id and membership.user_id = recipient.user_id
);
