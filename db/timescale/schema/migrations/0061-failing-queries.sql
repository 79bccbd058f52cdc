-- A feed may stand still at a query that fails instead of at a message: then there is no topic.
alter table publishing_faults alter column topic drop not null;
