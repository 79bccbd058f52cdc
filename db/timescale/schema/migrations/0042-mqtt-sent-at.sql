-- When the broker last acknowledged a message at the topic: one that is killed forgets what it has not written to disk. So
-- topics that were cleared stay noted for a while, too; their `digest` is empty.
alter table mqtt_topics add column sent_at timestamptz;
