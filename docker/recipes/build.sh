#!/bin/sh
# Builds the images that tests and docker-compose.yml use, where no image registry can be reached: from Debian's
# packages, Maven Central and the Node of this machine. See the README beside it.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
sources="${SOURCES:-/etc/apt/sources.list.d/debian.sources}"
kafka=4.1.1
registry=3.0.9

# base NAME PACKAGES: an image proofline/NAME:local of Debian with these packages.
base() {
  mmdebstrap --mode=root --variant=apt --include="ca-certificates,$2" bookworm "$work/$1.tar" "$sources"
  docker import "$work/$1.tar" "proofline/$1:local"
  rm "$work/$1.tar"
}

image() {
  DOCKER_BUILDKIT=0 docker build -q -t "proofline/$1:local" "$work/$1"
}

dependency() {
  echo "<dependency><groupId>$1</groupId><artifactId>$2</artifactId><version>$3</version></dependency>"
}

make_services() {
  base base openjdk-17-jre-headless,redis-server,postgresql-15,procps
  cat >"$work/pom.xml" <<POM
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>proofline</groupId><artifactId>images</artifactId><version>1</version><packaging>pom</packaging>
  <dependencies>
    $(dependency org.apache.kafka kafka_2.13 $kafka)
    $(dependency org.apache.kafka kafka-tools $kafka)
    $(dependency org.slf4j slf4j-simple 1.7.36)
  </dependencies>
</project>
POM
  mvn -q -B -f "$work/pom.xml" dependency:copy-dependencies -DoutputDirectory="$work/kafka/libs"
  mvn -q -B -f "$work/pom.xml" dependency:unpack -DoutputDirectory="$work/registry/app" \
    -Dartifact="io.apicurio:apicurio-registry-app:$registry:tar.gz:all"
  for name in kafka redis postgres registry; do
    image "$name"
    upper=$(echo "$name" | tr '[:lower:]' '[:upper:]')
    echo "export PROOFLINE_TEST_IMAGE_$upper=proofline/$name:local PROOFLINE_IMAGE_$upper=proofline/$name:local" >&3
  done
}

make_node() {
  base node-base build-essential,python3
  mkdir -p "$work/node/local/bin" "$work/node/local/include" "$work/node/local/lib/node_modules"
  program=$(readlink -f "$(command -v node)")
  cp "$program" "$work/node/local/bin/node"
  cp -R "$(dirname "$program")/../include/node" "$work/node/local/include/node"
  cp -R "$(npm root -g)/npm" "$work/node/local/lib/node_modules/npm"
  ln -s ../lib/node_modules/npm/bin/npm-cli.js "$work/node/local/bin/npm"
  ln -s ../lib/node_modules/npm/bin/npx-cli.js "$work/node/local/bin/npx"
  cp /etc/ssl/certs/ca-certificates.crt "$work/node"
  image node
  echo "export PROOFLINE_IMAGE_BUILD=proofline/node:local PROOFLINE_IMAGE_RUN=proofline/node:local" >&3
}

cp -R "$here/." "$work"
# What they print goes to standard error; the variables to standard output, for `eval`.
exec 3>&1 1>&2
for part in "${@:-services}"; do
  case "$part" in
    services) make_services ;;
    node) make_node ;;
    *) echo "there is no $part: services or node" >&2 && exit 2 ;;
  esac
done
