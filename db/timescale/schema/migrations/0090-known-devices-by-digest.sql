-- A browser that comes to sign in is found by its token before anybody says whose account it is about.
create index known_devices__digest on known_devices (digest);
