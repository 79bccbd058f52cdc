import type { Micros } from '../../../base/instant.ts';
import type { TagType } from '../../tracking/tag-type.ts';

/** One decoded read of a tag, not yet resolved to anything this system knows. */
export interface TagRead {
  readonly tagType: TagType;
  /** As the format writes it: 1 to 255 characters. */
  readonly value: string;
  /** 1 where the payload names none. */
  readonly antenna: number;
  /** dBm, with its fraction. */
  readonly rssi: number | null;
  /** Null if the payload carries none that is usable, or if the time of receipt is to be used. */
  readonly deviceTime: Micros | null;
  /** What the payload says of the reader; informative only. */
  readonly reader: string | null;
  /** Whether it is to be kept as an unknown tag if it belongs to none. */
  readonly reportUnknown: boolean;
}

export interface ReadItem {
  readonly outcome: 'read';
  readonly read: TagRead;
}

/** A heartbeat, a status, an advertisement that is no beacon: ordinary, and no read. */
export interface Ignored {
  readonly outcome: 'ignored';
  readonly reason: string;
  /** There if the format says that this deserves a line in the log, and why: a reader that dropped reads, say. */
  readonly warning?: string;
}

export interface Rejected {
  readonly outcome: 'rejected';
  readonly reason: string;
  /** Which item of the message, from 0. */
  readonly index: number;
  /** Its beginning, at most 500 UTF-16 units. */
  readonly excerpt: string;
}

export type Item = ReadItem | Ignored | Rejected;

/** What became of a message: its items, each with its own outcome, or one outcome for the whole of it. */
export type Mapped =
  | { readonly outcome: 'items'; readonly items: Item[] }
  | Ignored
  | { readonly outcome: 'rejected'; readonly reason: string };
