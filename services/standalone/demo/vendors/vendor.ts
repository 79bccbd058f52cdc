import type { Micros } from '../../../shared/instant.ts';

/** One read of a tag as a reader has it, before its maker's software writes it down. */
export interface TagRead {
  /** Hex digits in upper case. */
  epc: string;
  port: number;
  /** dBm. */
  rssi: number;
  at: Micros;
}

/** How the readers of one make write messages. */
export interface Vendor {
  /** What the clock in its messages can tell apart. */
  clockTick: Micros;
  maxReadsPerMessage: number;
  /**
   * @param reads one up to `maxReadsPerMessage`.
   * @param sequence which message of this reader it is, from 0.
   */
  encode(reader: string, reads: readonly TagRead[], sequence: number): string;
  /** What it sends when there is nothing to read. */
  heartbeat(reader: string, at: Micros, sequence: number): string;
}
