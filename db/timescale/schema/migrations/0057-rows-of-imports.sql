-- Rows of a file, beside what became of them: nothing can be taken out of JSON in which a cell has a NUL character, and a list
-- need not read a megabyte of it for each file.
alter table imports add column rows integer;
