-- Consumers that wait some seconds before they are sent events, and get the net change of what came meanwhile.
alter table webhooks add column if not exists settle_seconds smallint not null default 0;
alter table webhooks add constraint webhooks__settle_seconds check (settle_seconds between 0 and 60) not valid;

-- The last event of an asset (or below zero, of a reader) that a lane of a webhook sent in place of several, or is about to: it
-- stands for all of the asset's events from `first_position` to `last_position`. It is sent if the lane's position has reached
-- `first_position`; until then it may have arrived without an answer, so it is sent again just as it was. Written before it is
-- sent; not needed once the lane's position has reached `last_position`.
create table webhook_settled (
  org_id integer not null,
  webhook_id integer not null,
  lane smallint not null,
  subject integer not null,
  first_position bigint not null,
  last_position bigint not null,
  constraint webhook_settled__org_id_webhook_id_lane_subject primary key (org_id, webhook_id, lane, subject),
  constraint webhook_settled__org_id_webhook_id foreign key (org_id, webhook_id) references webhooks (org_id, id),
  constraint webhook_settled__positions check (first_position <= last_position)
);
create index webhook_settled__last_position on webhook_settled (org_id, webhook_id, lane, last_position);

-- For so long the feed's publisher waits with an event.
alter table mqtt_feeds add column if not exists settle_seconds smallint not null default 0;

-- Alerts whose events are done with up to a position beyond the recipient's: `{"alert": position}`.
alter table alert_mail_recipients add column if not exists done_beyond jsonb not null default '{}';

alter table webhook_settled enable row level security, force row level security;
create policy own_organization on webhook_settled to tagtrail_api
  using (org_id = current_org_id()) with check (org_id = current_org_id());
create policy every_organization on webhook_settled to tagtrail_service using (true) with check (true);
grant select, delete on webhook_settled to tagtrail_api;
