-- Two more of readers at the embedded broker: refused for speaking MQTT 5 (the password was right), and devices that end
-- each other's connection because they share a login and a client id.
alter table refused_sign_ins drop constraint refused_sign_ins__kind;
alter table refused_sign_ins
  add constraint refused_sign_ins__kind
  check (kind in ('reader', 'reader_mqtt_5', 'reader_taken_over', 'key', 'handheld', 'user'));
