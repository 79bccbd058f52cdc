-- Rows changed since a time. Only queries that ask for that can use them: see `locations__org_id_parent_id`.
create index if not exists assets__org_id_updated_at on assets (org_id, updated_at) where updated_at is not null;
create index if not exists locations__org_id_updated_at on locations (org_id, updated_at) where updated_at is not null;
