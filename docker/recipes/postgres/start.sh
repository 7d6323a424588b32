#!/bin/sh
# What the official image does at its start: a new folder gets POSTGRES_USER and POSTGRES_DB, then the .sql files.
set -e
user="${POSTGRES_USER:-postgres}"
database="${POSTGRES_DB:-$user}"
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  printf '%s\n' "$POSTGRES_PASSWORD" >/tmp/password
  initdb -U "$user" --pwfile=/tmp/password --auth-local=trust --auth-host=scram-sha-256 --encoding=UTF8
  rm /tmp/password
  echo 'host all all all scram-sha-256' >>"$PGDATA/pg_hba.conf"
  pg_ctl -w start -o "-c listen_addresses=''" -l /tmp/init.log || { cat /tmp/init.log; exit 1; }
  [ "$database" = postgres ] || psql -U "$user" -d postgres -c "create database \"$database\""
  for file in /docker-entrypoint-initdb.d/*.sql; do
    [ ! -f "$file" ] || psql -v ON_ERROR_STOP=1 -U "$user" -d "$database" -f "$file"
  done
  pg_ctl -w stop -m fast
fi
exec "$@" -c "listen_addresses=*"
