-- Sessions that ingestion has at MQTT brokers. A broker keeps messages for each under its client id, so a session is
-- never let go of while it may be the only one that is subscribed to a reader's topic.
--
-- `realm`: the broker and the group of processes that divide its messages. `is_divided`: one of those among which the
-- readers are divided, held by one process at a time; otherwise the own session of the process of that client id.
-- `holder`: the client id of the process that has it, until `held_until` unless it says so again.
-- `forgotten_at`: when the broker was last found to have lost it, with what was queued there.
create table broker_sessions (
  realm text collate "C" not null,
  client_id text collate "C" not null,
  is_divided boolean not null,
  holder text collate "C",
  held_since timestamptz,
  held_until timestamptz,
  is_connected boolean not null default false,
  connected_at timestamptz,
  forgotten_at timestamptz,
  constraint broker_sessions__realm_client_id primary key (realm, client_id)
);

-- Topics that a session is known to be subscribed to: noted after the broker has said so, taken away before the
-- session lets go.
create table broker_subscriptions (
  realm text collate "C" not null,
  client_id text collate "C" not null,
  topic text collate "C" not null,
  constraint broker_subscriptions__realm_client_id_topic primary key (realm, client_id, topic),
  constraint broker_subscriptions__realm_client_id foreign key (realm, client_id)
    references broker_sessions (realm, client_id) on delete cascade
);
