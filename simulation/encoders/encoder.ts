import { createHash } from 'node:crypto';
import { MICROS_PER_MILLISECOND, MICROS_PER_SECOND, type Micros } from '../../base/instant.ts';

/** A read as the reader has it, before its maker's software encodes it. */
export interface TagRead {
  /** Hex digits in upper case. */
  value: string;
  port: number;
  /** dBm. */
  rssi: number;
  at: Micros;
}

/** A reader as its messages name it. */
export interface Device {
  name: string;
  /** Some makes add levels. */
  topic: string;
}

export interface Publication {
  topic: string;
  payload: string;
  /** Items that are no reads: heartbeats, the gateway itself. */
  ignored: number;
}

/** Encodes messages as the readers of one make do. */
export interface Encoder {
  tagType: 'rfid' | 'ble';
  /** Antennas that its messages tell apart. */
  ports: number;
  /** Resolution of the time in its messages; null if they have none. */
  clockTick: Micros | null;
  maxReadsPerMessage: number;
  /** Topic of the registration: the topic itself, or a filter for the levels it adds. */
  topicFilter(topic: string): string;
  /**
   * @param reads one to `maxReadsPerMessage`.
   * @param sequence number of this reader's message, from 0.
   */
  encode(device: Device, reads: readonly TagRead[], sequence: number): Publication;
  /** Sent when there is nothing to read. */
  heartbeat(device: Device, at: Micros, sequence: number): Publication;
}

/** The common case: every message on the one topic, in JSON. */
export function jsonEncoder(make: {
  tagType: Encoder['tagType'];
  ports: number;
  clockTick: Micros;
  maxReadsPerMessage: number;
  /** Items without a read in a message with reads. */
  ignored?: number;
  encode(device: Device, reads: readonly TagRead[], sequence: number): unknown;
  heartbeat(device: Device, at: Micros, sequence: number): unknown;
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

export function addressOf(name: string): string {
  return `02${createHash('sha256').update(name).digest('hex').slice(0, 10)}`.toUpperCase();
}

export function withColons(address: string): string {
  return address.replace(/(..)(?=.)/g, '$1:');
}

/** RFC 3339 in UTC with milliseconds; finer digits are cut off. */
export function milliseconds(at: Micros): string {
  return new Date(Math.floor(at / MICROS_PER_MILLISECOND)).toISOString();
}

/** RFC 3339 in UTC with microseconds. */
export function microseconds(at: Micros): string {
  const fraction = String(at % MICROS_PER_SECOND).padStart(6, '0');
  return `${milliseconds(at).slice(0, 19)}.${fraction}Z`;
}
