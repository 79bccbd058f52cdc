import type { TagType } from './asset.ts';

export interface Reference {
  id: number;
  external_key: string;
  name: string;
}

export interface Stay {
  location: Reference;
  arrived_at: string;
  left_at: string | null;
}

export interface Stays {
  first_seen: string | null;
  last_seen: string | null;
  stays: readonly Stay[];
  is_cut: boolean;
}

export interface FoundAsset extends Reference {
  last_seen: string | null;
  since: string | null;
  location: Reference | null;
  tags: readonly { tag_type: TagType; value: string }[];
  stays: readonly Stay[];
}

export interface FoundLocation extends Reference {
  parent: Reference | null;
  assets_here: number;
}

export interface Found {
  assets: readonly FoundAsset[];
  asset_count: number;
  locations: readonly FoundLocation[];
  location_count: number;
}

export interface Scan {
  by: 'reader' | 'handheld';
  device: { id: number; name: string } | null;
  antenna: number | null;
  tag: { tag_type: TagType; value: string };
  rssi: number | null;
  observed_at: string;
  received_at: string;
}

export interface ReadAround {
  location: Reference | null;
  at: string;
  rssi: number | null;
  is_by_person: boolean;
}

export interface Rival {
  location: Reference | null;
  at: string;
  scan: Scan | null;
  rssi: number | null;
  lost_by_db: number | null;
  tie_broken_by: 'person' | 'strength' | 'location' | 'source' | null;
}

export interface Why {
  first_seen: string | null;
  stay: { location: Reference | null; from: string; to: string | null } | null;
  decided_by: Scan | null;
  late_seconds: number | null;
  rule: 'person' | 'smoothing_off' | 'no_rival' | 'long_enough' | 'stronger' | null;
  rivals: readonly Rival[] | null;
  reads: readonly ReadAround[] | null;
  said_before: readonly { location: Reference | null; until: string }[];
}

export interface Passing {
  since: string | null;
  moves: readonly {
    position: number;
    at: string;
    asset: Reference;
    is_arrival: boolean;
    other: Reference | null;
  }[];
}

export interface Present extends Reference {
  since: string | null;
  last_seen: string | null;
}
