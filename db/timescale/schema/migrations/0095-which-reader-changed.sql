-- Readers whose topic begins with the same levels, in front of wildcards, are those that a new topic may overlap.
create index readers__fixed_levels
  on readers ((left(regexp_replace(topic, '(^|/)[+#](/.*)?$', ''), 512) collate "C")) where deleted_at is null;
