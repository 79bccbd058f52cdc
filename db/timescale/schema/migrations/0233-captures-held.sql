-- A capture that is accepted is stored before its organization is held, or not at all.
create trigger epcis_captures_held after insert on epcis_captures referencing new table as new_rows
  for each statement execute function refuse_while_held();
