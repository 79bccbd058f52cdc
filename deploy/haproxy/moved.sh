#!/bin/sh
# What `tagtrail cell move --route` runs: leads the credentials on standard input, in lines such as "reader-7 2", to their new
# cells. MAP is the file that haproxy.cfg names, which a restart reads; SOCKET is where the running HAProxy is told, by socat: a
# reload would leave connections on which requests are led by the old map.
set -eu

map=${MAP:-/etc/haproxy/moved.map}
socket=${SOCKET:-/run/haproxy/admin.sock}

fail() {
  printf '%s\n' "$1" >&2
  exit 1
}

tell() {
  socat -t 10 - "UNIX-CONNECT:$socket"
}

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

# All of it, as a new version that takes the place of the old one at once.
version=$(printf 'prepare map %s\n' "$map" | tell | sed -n 's/^New version created: //p')
[ -n "$version" ] || fail "HAProxy at $socket has no map $map"
# As many at a time as fit into its buffer.
said=$(grep -v '^#' "$map" | awk -v tell="socat -t 10 - 'UNIX-CONNECT:$socket'" -v add="add map @$version $map <<" '
  NR % 100 == 1 { print add | tell }
  { print | tell }
  NR % 100 == 0 { print "" | tell; close(tell) }
  END { if (NR % 100) print "" | tell }')
[ -z "$said" ] || fail "HAProxy at $socket: $said"
said=$(printf 'commit map @%s %s\n' "$version" "$map" | tell)
[ -z "$said" ] || fail "HAProxy at $socket: $said"
