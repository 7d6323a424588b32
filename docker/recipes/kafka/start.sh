#!/bin/sh
# What apache/kafka does at its start: KAFKA_* variables become server.properties, and a new folder is formatted.
set -e
export CLUSTER_ID="${CLUSTER_ID:-5L6g3nShT-eMCtK--X86sw}"
setup=$(java -cp '/opt/kafka/libs/*' kafka.docker.KafkaDockerWrapper setup --default-configs-dir /etc/kafka/docker \
  --mounted-configs-dir /mnt/shared/config --final-configs-dir /opt/kafka/config 2>&1) \
  || echo "$setup" | grep -i 'already formatted' || { echo "$setup"; exit 1; }
# shellcheck disable=SC2086
exec java ${KAFKA_HEAP_OPTS:--Xmx512m} $KAFKA_OPTS -cp '/opt/kafka/libs/*' kafka.Kafka /opt/kafka/config/server.properties
