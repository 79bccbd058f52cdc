import type { TagType } from './asset.ts';

interface Reader {
  id: number;
  name: string;
}

/** Was read, and belongs to nothing. */
export interface UnknownTag {
  id: string;
  tag_type: TagType;
  value: string;
  count: number;
  first_seen_at: string;
  last_seen_at: string;
  is_ambiguous: boolean;
  last_read: {
    reader: Reader | null;
    antenna_port: number | null;
    rssi: number | null;
    location_external_key: string | null;
    location_name: string | null;
  };
}

export interface AttachedTag {
  tag_id: number;
  to: 'asset' | 'location';
  id: number;
  name: string;
}

export interface Rejected {
  id: number;
  reader: Reader | null;
  topic: string;
  reason: string;
  received_at: string;
  size: number;
  replayed_at: string | null;
  dismissed_at: string | null;
}

export interface RejectedWhole extends Rejected {
  /** Null if the reader is gone. */
  reader_format: string | null;
  size_kept: number;
  /** Else the payload is in base64. */
  is_text: boolean;
  payload: string;
}

export interface TriedFormat {
  format: string;
  scans: number;
  ignored: number;
  rejected: number;
  reason: string | null;
}

export interface Trial extends TriedFormat {
  reads: readonly {
    tag_type: TagType;
    value: string;
    antenna_port: number;
    rssi: number | null;
    observed_at: string | null;
  }[];
}

export interface InboxCounts {
  unknown_tags: number;
  rejected: number;
}
