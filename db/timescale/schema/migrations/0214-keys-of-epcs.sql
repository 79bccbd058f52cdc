-- EPCs have normal keys, too: all tags are looked at again.
delete from normal_key_progress;
