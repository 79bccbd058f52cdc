export const READER_STATES = ['heard', 'new', 'silent', 'disconnected', 'never', 'no_format'] as const;

export type ReaderState = (typeof READER_STATES)[number];

export interface Antenna {
  port: number;
  location_external_key: string | null;
  location_name: string | null;
  min_rssi: number | null;
  enabled: boolean;
}

export type AntennaChange = Partial<Omit<Antenna, 'port' | 'location_name'>>;

/** As `GET /readers` lists it. */
export interface Reader {
  id: number;
  name: string;
  topic: string;
  format: string;
  state: ReaderState;
  /** Of one that is silent or disconnected: since when it is either. */
  unheard_since: string | null;
  /** For how long it may say nothing: what was set, or learned; null of a new one. */
  expected_seconds: number | null;
  mqtt_username: string;
  /** For how long it may say nothing, as somebody set it; null for what is learned. */
  expect_seconds: number | null;
  created_at: string;
  last_message_at: string | null;
  /** When it last signed in at the embedded broker. */
  last_used_at: string | null;
  /** Null if it is not connected, or to another broker than the embedded one. */
  connected_at: string | null;
  stretch: { since: string; until: string; messages: number } | null;
  antennas: readonly Antenna[];
  counters: Counters;
  clock: { behind_seconds: number; spread_seconds: number; minutes: number; wrong: boolean } | null;
}

/** As `GET /readers/{reader_id}` shows it. */
export interface OneReader extends Reader {
  sign_in_faults: readonly SignInFault[];
}

export interface SignInFault {
  fault: 'wrong_credentials' | 'mqtt_5' | 'shared_login';
  in_hour: number;
  in_day: number;
  last_at: string;
}

export interface Counters {
  messages: number;
  messages_rejected: number;
  reads: number;
  recorded: number;
  duplicates: number;
  unknown: number;
  unplaced: number;
  rejected: number;
  ignored: number;
  throttled_ms: number;
}

export interface Spans {
  from: string;
  to: string;
  spans: readonly {
    state: 'up' | 'silent' | 'disconnected';
    from: string;
    to: string | null;
    /** Where it is known only by what it had buffered. */
    learned_at: string | null;
    messages: number | null;
  }[];
}

export interface Arrivals {
  /** Messages that can be replayed. */
  open: number;
  messages: readonly ArrivedMessage[];
  /** The likeliest first. */
  formats: readonly RecognizedFormat[];
}

export interface ArrivedMessage {
  id: number;
  received_at: string;
  topic: string;
  reason: string;
  size: number;
  is_text: boolean;
  payload: string;
}

export interface RecognizedFormat {
  format: string;
  reads: number;
  ignored: number;
  rejected: number;
  messages_rejected: number;
  reason: string | null;
  /** Ports that its reads name. */
  antennas: readonly number[];
  example: { tag_type: string; value: string; antenna: number; rssi: number | null } | null;
}

/** What an antenna read in the last 30 seconds. */
export interface Heard {
  /** Processes of ingestion that listen. */
  sources: number;
  messages: number;
  rejected: number;
  ignored: number;
  reads: number;
  tags: readonly HeardTag[];
  tags_left_out: number;
  arrivals: readonly { at: string; topic: string; size: number; outcome: string; reason: string | null }[];
}

export interface HeardTag {
  tag_type: string;
  value: string;
  antenna: number;
  count: number;
  rssi: number | null;
  strongest_rssi: number | null;
  last_read_at: string;
  asset: { id: number; name: string } | null;
  location: { id: number; name: string } | null;
}

export interface ListedFormat {
  name: string;
  is_builtin: boolean;
  /** Of the organization, which may change it. */
  is_own: boolean;
  description: string;
  /** How many have it. */
  readers: number;
  fault: string | null;
}

/** Stands for a format while it is not known which one a reader's messages have. */
export const NO_FORMAT = 'none';
