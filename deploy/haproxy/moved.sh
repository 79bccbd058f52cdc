#!/bin/sh
# What `tagtrail cell move --route` runs: leads the credentials on standard input, in lines such as "reader-7 2", to their new
# cells. MAP is the file that haproxy.cfg names, RELOAD the command that makes HAProxy read it again.
set -eu

map=${MAP:-/etc/haproxy/moved.map}
reload=${RELOAD:-systemctl reload haproxy}

exec 9>"$map.lock"
flock 9
awk '
  BEGIN {
    while ((getline line < "-") > 0) {
      split(line, words, " ")
      moved[words[1]] = words[2]
    }
  }
  !($1 in moved) { print }
  END {
    for (credential in moved) print credential, moved[credential]
  }' "$map" >"$map.new"
chmod 644 "$map.new"
mv "$map.new" "$map"
sh -c "$reload"
