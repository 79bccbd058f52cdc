-- What EPCIS calls a location, and what happens there. Versions keep it, so that events of before keep their names.
alter table locations
  add column gln text,
  add column biz_step text,
  add column disposition text,
  add constraint locations__gln check (char_length(gln) between 1 and 34),
  add constraint locations__biz_step check (char_length(biz_step) between 1 and 255),
  add constraint locations__disposition check (char_length(disposition) between 1 and 255);
alter table location_versions
  add column gln text,
  add column biz_step text,
  add column disposition text;
