import type { Micros } from '../../base/instant.ts';

/** One read of a tag as a reader has it, before its maker's software writes it down. */
export interface TagRead {
  /** What the tag says: hex digits in upper case. */
  value: string;
  port: number;
  /** dBm. */
  rssi: number;
  at: Micros;
}

/** A reader as its messages name it. */
export interface Device {
  name: string;
  /** What it publishes to; some makes add levels. */
  topic: string;
}

export interface Publication {
  topic: string;
  payload: string;
  /** How many of its items are no reads: heartbeats, the gateway itself. */
  ignored: number;
}

/** How the readers of one make write messages. */
export interface Encoder {
  tagType: 'rfid' | 'ble';
  /** How many antennas its messages can tell apart. */
  ports: number;
  /** What the clock in its messages can tell apart; null if they bring no time. */
  clockTick: Micros | null;
  maxReadsPerMessage: number;
  /** What its reader is registered with: the topic itself, or a filter for the levels it adds. */
  topicFilter(topic: string): string;
  /**
   * @param reads one up to `maxReadsPerMessage`.
   * @param sequence which message of this reader it is, from 0.
   */
  encode(device: Device, reads: readonly TagRead[], sequence: number): Publication;
  /** What it sends when there is nothing to read. */
  heartbeat(device: Device, at: Micros, sequence: number): Publication;
}

/** The parts that most makes share: every message on the one topic, of JSON. */
export function jsonEncoder(make: {
  tagType: Encoder['tagType'];
  ports: number;
  clockTick: Micros;
  maxReadsPerMessage: number;
  /** How many items of a message with reads are no reads. */
  ignored?: number;
  encode(device: Device, reads: readonly TagRead[], sequence: number): unknown;
  heartbeat(device: Device, at: Micros, sequence: number): unknown;
  /** How many items of a heartbeat are ignored. */
  ignoredOfHeartbeat: number;
}): Encoder {
  const { tagType, ports, clockTick, maxReadsPerMessage, ignored = 0, ignoredOfHeartbeat } = make;
  return {
    tagType,
    ports,
    clockTick,
    maxReadsPerMessage,
    topicFilter: (topic) => topic,
    encode: (device, reads, sequence) => ({
      topic: device.topic,
      payload: JSON.stringify(make.encode(device, reads, sequence)),
      ignored,
    }),
    heartbeat: (device, at, sequence) => ({
      topic: device.topic,
      payload: JSON.stringify(make.heartbeat(device, at, sequence)),
      ignored: ignoredOfHeartbeat,
    }),
  };
}
