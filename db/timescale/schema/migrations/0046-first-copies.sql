-- A redelivery may be recorded before the first copy, which another process holds: one whose session was taken over.
-- Whether the reception that is remembered came with the DUP flag tells the late first copy from a new message.
alter table received_messages add column is_redelivery boolean not null default false;
