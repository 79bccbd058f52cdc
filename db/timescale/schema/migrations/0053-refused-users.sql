-- Refused sign-ins of people: by the user's id. Addresses that no user has are counted together, because people type
-- their passwords there.
alter table refused_sign_ins drop constraint refused_sign_ins__kind;
alter table refused_sign_ins
  add constraint refused_sign_ins__kind check (kind in ('reader', 'key', 'handheld', 'user'));

grant select, insert, update, delete on refused_sign_ins to tagtrail_people;
