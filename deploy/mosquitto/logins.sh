#!/bin/sh
# Who may connect to mosquitto, and what they may do there: a password file and an access list in $LOGINS.
#
#   logins.sh init                    tagtrail's own login, with the password in $MQTT_PASSWORD; made, or changed. It may
#                                     publish moves where $MQTT_MOVES_PREFIX and $MQTT_HOME_ASSISTANT_PREFIX say
#   logins.sh add NAME TOPIC          a reader that may publish to TOPIC and do nothing else; its password on standard input
#   logins.sh consumer NAME TOPIC...  a consumer of moves, that may subscribe to these and do nothing else; likewise
#   logins.sh remove NAME             that reader or consumer can no longer connect
#   logins.sh list                    names and topics
#
# Who is added again has the new password and the new topics. The broker follows when it is sent SIGHUP, which
# this does where it can.
set -eu
umask 077

LOGINS=${LOGINS:-/mosquitto/data/logins}
OWN=tagtrail
passwords=$LOGINS/passwords
acl=$LOGINS/acl

fail() {
  printf '%s\n' "$1" >&2
  exit 1
}

usage() {
  fail "Usage: $0 init | add NAME TOPIC | consumer NAME TOPIC... | remove NAME | list"
}

# Names stand at the beginning of a line that a colon ends.
check_name() {
  case $1 in
    '' | *[!A-Za-z0-9._-]*) fail "A name is letters, digits, dots, hyphens and underscores: $1" ;;
  esac
}

# Who signs in has the name as client id, too. By these ids ingestion's sessions, its moves and its processes connect, and a
# broker gives a session to whoever comes by its id last.
check_free() {
  case $1 in
    "$OWN") fail "$OWN is tagtrail's own login." ;;
    "$OWN"-* | *-readers-[0-9]* | *-moves) fail "So ingestion itself is named at the broker; take another name: $1" ;;
  esac
}

# The line break cannot be written as it is within a pattern of `case`.
check_topic() {
  [ -n "$1" ] || fail 'A topic is not empty.'
  [ "$(printf '%s' "$1" | wc -l)" -eq 0 ] || fail 'A topic is one line.'
}

# Hashed by the broker's own program, through a file, because arguments can be read by every user of the machine.
set_password() {
  [ -n "$2" ] || fail "The password of $1 is empty."
  printf '%s:%s\n' "$1" "$2" >"$LOGINS/new"
  mosquitto_passwd -U "$LOGINS/new"
  {
    without "$1" "$passwords"
    cat "$LOGINS/new"
  } >"$LOGINS/passwords.new"
  rm "$LOGINS/new"
  mv "$LOGINS/passwords.new" "$passwords"
}

# The lines of a password file but for the one of a name.
without() {
  awk -F : -v name="$1" '$1 != name' "$2"
}

# The access list but for the paragraph of a name.
acl_without() {
  awk -v name="$1" '$1 == "user" { skipped = substr($0, 6) == name } !skipped' "$acl"
}

set_access() {
  name=$1
  shift
  {
    acl_without "$name"
    printf 'user %s\n' "$name"
    printf 'topic %s\n' "$@"
  } >"$acl.new"
  mv "$acl.new" "$acl"
}

# In the container the broker is process 1; elsewhere it is the caller's to reload.
reload() {
  case $(cat /proc/1/comm 2>/dev/null) in
    mosquitto*) kill -HUP 1 ;;
  esac
}

# Whoever else changes logins meanwhile waits: each writes whole files.
lock() {
  exec 9>"$LOGINS/lock"
  flock 9
}

# A password on standard input, for a name, with what follows of the access list.
add() {
  check_free "$1"
  IFS= read -r password || [ -n "$password" ] || fail 'The password is read from standard input.'
  lock
  set_password "$1" "$password"
  set_access "$@"
  reload
}

mkdir -p "$LOGINS"
touch "$passwords" "$acl"
case ${1:-} in
  init)
    [ $# -eq 1 ] || usage
    lock
    set_password "$OWN" "${MQTT_PASSWORD:-}"
    set -- "$OWN" 'read #' 'write tagtrail/ingest/+/status'
    [ -z "${MQTT_MOVES_PREFIX:-}" ] || set -- "$@" "write $MQTT_MOVES_PREFIX/+/assets/#"
    [ -z "${MQTT_HOME_ASSISTANT_PREFIX:-}" ] || set -- "$@" "write $MQTT_HOME_ASSISTANT_PREFIX/sensor/+/+/config"
    set_access "$@"
    reload
    ;;
  add)
    [ $# -eq 3 ] || usage
    check_name "$2"
    check_topic "$3"
    add "$2" "write $3"
    ;;
  consumer)
    [ $# -ge 3 ] || usage
    name=$2
    check_name "$name"
    shift 2
    for topic; do
      check_topic "$topic"
      shift
      set -- "$@" "read $topic"
    done
    add "$name" "$@"
    ;;
  remove)
    [ $# -eq 2 ] || usage
    check_name "$2"
    lock
    without "$2" "$passwords" >"$passwords.new"
    mv "$passwords.new" "$passwords"
    acl_without "$2" >"$acl.new"
    mv "$acl.new" "$acl"
    reload
    ;;
  list) awk '$1 == "user" { name = substr($0, 6) } $1 == "topic" { print name ": " substr($0, 7) }' "$acl" ;;
  *) usage ;;
esac
