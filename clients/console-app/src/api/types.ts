import type { Answers, Asset, PresenceItem, Tag } from './answers.ts';

/** `data` of an answer, by method and path of its route, and each row of a list. */
export type Data<Route extends keyof Answers> = Answers[Route] extends { data: infer Found } ? Found : never;
export type Row<Route extends keyof Answers> = Data<Route> extends readonly (infer Each)[] ? Each : never;

export type {
  Alert,
  Asset,
  DwellItem as Dwell,
  Location as Place,
  PositionAtItem as PositionAt,
  PresenceItem as Presence,
  StayItem as ReportedStay,
  SweepItem as ReportedSweep,
  Tag,
  TurnItem as Turns,
} from './answers.ts';

export type AlertState = Row<'GET /alerts'>['state'];
export const ALERT_STATES = all<AlertState>({ open: 0, acknowledged: 0, closed: 0, withdrawn: 0 });

export type TagType = Asset['tags'][number]['tag_type'];
export const TAG_TYPES = all<TagType>({ rfid: 0, ble: 0, barcode: 0 });

/** A tag's GS1 key in brackets, the identifier before its serial number; null without one. */
export function bracketed({ digital_link: link }: Pick<Tag, 'digital_link'>): string | null {
  const parts = link?.replace('https://id.gs1.org/', '').split('/') ?? [];
  const values = parts.map((part, at) => (at % 2 === 0 ? `(${part})` : decodeURIComponent(part)));
  return values.length === 0 ? null : values.join('');
}

export type PresenceState = PresenceItem['state'];
export const PRESENCE_STATES = all<PresenceState>({
  ...{ present: 0, overdue: 0, missing: 0, unknown: 0, never_seen: 0 },
});
export type PresenceBecause = NonNullable<PresenceItem['because']>;

export type ChangePage = Answers['GET /changes'];
export type Change = ChangePage['data'][number];

export type Import = Row<'GET /imports'>;
export type WholeImport = Data<'GET /imports/{import_id}'>;
export type ImportOutcome = NonNullable<WholeImport['outcome']>;
export type ImportKind = keyof ImportOutcome['shown'];
export type ImportRow = ImportOutcome['shown'][ImportKind][number];
export type ImportFault = ImportOutcome['faults'][number];

export type UnknownTag = Row<'GET /unknown-tags'>;
export type AlikeTag = Row<'GET /alike-tags'>['tags'][number];
export type AttachedTag = Data<'POST /unknown-tags/{unknown_tag_id}/attach'>;
export type Rejected = Row<'GET /rejected'>;
export type RejectedWhole = Data<'GET /rejected/{rejected_id}'>;
export type TriedFormat = Row<'GET /rejected/{rejected_id}/formats'>;
export type Trial = Data<'GET /rejected/{rejected_id}/formats/{format}'>;
export type InboxCounts = Data<'GET /inbox'>;

export type Plan = Row<'GET /plans'>;
export type PlanWithPlaces = Data<'GET /plans/{plan_id}'>;
export type PlanAntenna = PlanWithPlaces['antennas'][number];
export type PlanScale = Pick<NonNullable<Plan['scale']>, 'points' | 'metres'>;
/** In metres. */
export type PlanSize = Pick<NonNullable<Plan['scale']>, 'width_m' | 'height_m'>;
export type PlanDots = Data<'GET /plans/{plan_id}/positions'>;
export type PlanDot = PlanDots['dots'][number];
export type PlanPlace = PlanWithPlaces['places'][number];
/** From 0 at the left and at the top to 1. One point is a pin, three or more are an outline. */
export type Point = PlanPlace['points'][number];

export type Reader = Row<'GET /readers'>;
export type OneReader = Data<'GET /readers/{reader_id}'>;
export type ReaderState = Reader['state'];
export const READER_STATES = all<ReaderState>({
  ...{ heard: 0, new: 0, silent: 0, disconnected: 0, never: 0, no_format: 0 },
});
export type Antenna = Reader['antennas'][number];
export type AntennaChange = Partial<Omit<Antenna, 'port' | 'location_name'>>;
export type Spans = Data<'GET /readers/{reader_id}/spans'>;
export type Arrivals = Data<'GET /readers/{reader_id}/arrivals'>;
export type ArrivedMessage = Arrivals['messages'][number];
export type RecognizedFormat = Arrivals['formats'][number];
export type Heard = Answers['GET /readers/{reader_id}/listen']['heard'];
export type Levels = Data<'GET /assets/{asset_id}/levels'>;
export type HeardTag = Heard['tags'][number];
export type ListedFormat = Row<'GET /formats'>;

/** The format of a reader whose messages' format is still unknown. */
export const NO_FORMAT = 'none';

export type Rule = Row<'GET /rules'>;
export type WholeRule = Data<'GET /rules/{rule_id}'>;
export type RuleSettings = Omit<
  Rule,
  | 'id'
  | `mail_${string}`
  | 'asset_count'
  | 'valid_from'
  | 'ends_at'
  | 'location_deleted_at'
  | 'created_at'
  | 'version'
>;
export type RuleKind = Rule['kind'];
export const RULE_KINDS = all<RuleKind>({
  ...{ overdue: 0, dwell: 0, not_allowed: 0, must_be: 0, reading: 0, battery_low: 0, reader: 0 },
});
/** What a rule can be about of what tags measure. */
export type RuleReading = NonNullable<Rule['reading']>;
export const RULE_READINGS = all<RuleReading>({
  ...{ temperature_c: 0, humidity_percent: 0, battery_percent: 0, battery_volts: 0 },
});

export type MadeSetting = Row<'GET /locating'>;
export type Procedure = MadeSetting['procedure'];
export type LocatingValues = Pick<MadeSetting, 'procedure' | 'certainty' | 'tag_dbm' | 'tag_kinds'>;
export type Proposal = Row<'GET /locating/proposals'>;

export type TrialResult = Answers['POST /locating/trials']['result'];
export type TriedAsset = TrialResult['assets'][number];
export type TriedStay = TriedAsset['stays'][number];
export type TriedMove = TrialResult['moves'][number];
export type TriedPair = TrialResult['pairs'][number];
export type MoveCounts = TrialResult['other_pairs'];

export type Webhook = Row<'GET /webhooks'>;
export type Attempt = Row<'GET /webhooks/{webhook_id}/attempts'>;
export type TestResult = Data<'POST /webhooks/{webhook_id}/test'>;
export type EventType = NonNullable<Webhook['types']>[number];
export const EVENT_TYPES = all<EventType>({
  'tagtrail.asset.moved.v1': 0,
  'tagtrail.history.corrected.v1': 0,
  'tagtrail.alert.opened.v1': 0,
  'tagtrail.alert.acknowledged.v1': 0,
  'tagtrail.alert.closed.v1': 0,
  'tagtrail.alert.withdrawn.v1': 0,
});

export type Reading = Row<'GET /assets/{asset_id}/readings'>;
export type Stays = Data<'GET /assets/{asset_id}/stays'>;
export type Stay = Stays['stays'][number];
export type Reference = Stay['location'];
export type Found = Data<'GET /find'>;
export type FoundAsset = Found['assets'][number];
export type FoundLocation = Found['locations'][number];
export type Why = Data<'GET /assets/{asset_id}/why'>;
export type Scan = NonNullable<Why['decided_by']>;
export type Latest = NonNullable<Why['latest']>;
export type Decision = NonNullable<Why['decision']>;
export type ReadAround = NonNullable<Why['reads']>[number];
export type Rival = NonNullable<Why['rivals']>[number];
export type Passing = Data<'GET /locations/{location_id}/arrivals'>;
export type MoveEvent = Answers['GET /events']['move'];
export type AlertEvent = Answers['GET /events']['alert'];
export type Present = Row<'GET /locations/{location_id}/present'>;

/** The complete list of a union's values: a missing or foreign value does not compile. */
function all<Value extends string>(values: Readonly<Record<Value, 0>>): readonly Value[] {
  return Object.keys(values) as Value[];
}
