-- So many rejected messages are kept of a reader, so that one whose every message is rejected does not push out the others'.
create index rejected_messages__org_id_reader_id_id on rejected_messages (org_id, reader_id, id);
