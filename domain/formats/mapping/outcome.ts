import type { Micros } from '../../../base/instant.ts';
import type { TagType } from '../../tracking/tag-type.ts';

/** One decoded read of a tag, not resolved to anything yet. */
export interface TagRead {
  readonly tagType: TagType;
  /** As the format writes it: 1 to 255 characters. */
  readonly value: string;
  /** 1 where the payload names none. */
  readonly antenna: number;
  /** dBm, with its fraction. */
  readonly rssi: number | null;
  /** Null if the payload has no usable one, or the time of reception is to be used. */
  readonly deviceTime: Micros | null;
  /** The payload's name for the reader; informative only. */
  readonly reader: string | null;
  /** Whether it is kept as an unknown tag if no tag matches. */
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
  /** Why the format wants a line in the log: dropped reads, for instance. */
  readonly warning?: string;
}

export interface Rejected {
  readonly outcome: 'rejected';
  readonly reason: string;
  /** Position in the message, from 0. */
  readonly index: number;
  /** Its beginning, at most 500 UTF-16 units. */
  readonly excerpt: string;
}

export type Item = ReadItem | Ignored | Rejected;

/** The outcome of a message: its items with an outcome each, or one for the whole. */
export type Mapped =
  | { readonly outcome: 'items'; readonly items: Item[] }
  | Ignored
  | { readonly outcome: 'rejected'; readonly reason: string };
