-- Registrations count the readers that were deleted lately while they hold the lock of all registrations.
create index if not exists readers__org_id_deleted_at on readers (org_id, deleted_at) where deleted_at is not null;
