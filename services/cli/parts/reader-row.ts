import type { StoredReader } from '../../../domain/administration/readers/stored-reader.ts';

export function readerRow(reader: StoredReader) {
  return {
    id: reader.id,
    name: reader.name,
    topic: reader.topic,
    format: reader.format,
    time: reader.time,
    identity: reader.identity,
    report_unknown: reader.reportUnknown,
    expect_seconds: reader.expectSeconds,
    mqtt_username: reader.mqttUsername,
  };
}
