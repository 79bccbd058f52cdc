import type { Micros } from '../../../base/instant.ts';
import type { Readings } from '../../tracking/reading-kind.ts';
import type { TagType } from '../../tracking/tag-type.ts';

export interface TagRead {
  readonly tagType: TagType;
  /** 1 to 255 characters, spelled as the format produces it. */
  readonly value: string;
  /** A port from 1 to 65535, or a name; null if the payload names none. */
  readonly antenna: number | string | null;
  /** dBm, with fraction. */
  readonly rssi: number | null;
  /** Null if the payload has no usable time, or the time of reception is to be used. */
  readonly deviceTime: Micros | null;
  /** The values that the tag measures; absent if the payload has none. */
  readonly readings?: Readings;
  /** The payload's name for the reader; informative only. */
  readonly reader: string | null;
  /** True if an unmatched tag is listed as unknown. */
  readonly reportUnknown: boolean;
  /** Values of the payload that cannot be used. Nearly always null. */
  readonly unusable: Unusable | null;
}

/** As the payload has it; texts, lists and objects are shortened. */
export interface Unusable {
  readonly rssi?: number | string;
  /** In a notation that the format does not know, or in the next century. */
  readonly time?: number | string;
  /** By a clock that was not set. */
  readonly unsetClock?: number | string;
}

export interface ReadItem {
  readonly outcome: 'read';
  readonly read: TagRead;
}

/** Ordinary, but not a read: a heartbeat, a status, an advertisement of something other than a beacon. */
export interface Ignored {
  readonly outcome: 'ignored';
  readonly reason: string;
  /** Reason to log it, such as dropped reads. */
  readonly warning?: string;
  /** Something in it that looks like a tag: should it have been a read? */
  readonly nearMiss?: string;
}

export interface Rejected {
  readonly outcome: 'rejected';
  readonly reason: string;
  /** Position in the message, from 0. */
  readonly index: number;
  /** Truncated to 500 UTF-16 units. */
  readonly excerpt: string;
}

export type Item = ReadItem | Ignored | Rejected;

export type Mapped =
  | { readonly outcome: 'items'; readonly items: Item[] }
  | Ignored
  | { readonly outcome: 'rejected'; readonly reason: string };
