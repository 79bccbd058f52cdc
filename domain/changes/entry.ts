/** The kind of change. A text in the database, so that another kind needs no migration. */
export type Action =
  | 'create'
  | 'update'
  | 'rename'
  | 'delete'
  | 'revoke'
  | 'attach_tag'
  /** For an asset. */
  | 'note'
  | 'set_photo'
  | 'detach_tag'
  /** For an organization: numbers that labels get, and where they are printed. */
  | 'add_serials'
  | 'draw_serials'
  | 'add_printer'
  | 'remove_printer'
  /** For an organization: a view of its list of assets. */
  | 'set_view'
  /** How locations are decided on, of a location or an organization. Before that: `set_smoothing`. */
  | 'set_locating'
  | 'set_smoothing'
  /** How a location is watched. */
  | 'set_watch'
  | 'ignore'
  | 'dismiss'
  /** Lists an ignored tag or a dismissed message again. */
  | 'restore'
  | 'replay'
  /** Corrects the dates that a wrong clock gave an organization's records. */
  | 'mend_clock'
  /** For an alert. */
  | 'acknowledge'
  | 'sign_in'
  | 'sign_out'
  /** For a link. */
  | 'accept'
  /** For a deleted organization, or a user. */
  | 'erase'
  /** For an organization: moved to another cell. */
  | 'move'
  /** For an organization: imported from an export. */
  | 'import';

export type ResourceType =
  | 'asset'
  | 'location'
  | 'reader'
  | 'antenna'
  | 'format'
  | 'handheld'
  | 'api_key'
  | 'organization'
  | 'mqtt_consumer'
  | 'webhook'
  | 'epcis_query'
  | 'alert'
  | 'rule'
  | 'plan'
  | 'unknown_tag'
  | 'rejected_message'
  | 'user'
  | 'membership'
  | 'session'
  | 'link';

/** Values as the API shows them; stored JSON as `JsonText`. Never a secret, and never the digest of one. */
export type Fields = Readonly<Record<string, unknown>>;

/** A row of the change log without its author: one changed resource. */
export interface ChangeEntry {
  /** Null for what belongs to the installation. */
  readonly orgId: number | null;
  readonly action: Action;
  readonly resource: {
    readonly type: ResourceType;
    readonly id: number | string;
    readonly externalKey?: string | null;
  };
  /** Fields that changed, as they were; null before a create. */
  readonly before: Fields | null;
  /** Fields that changed, as they are now. */
  readonly after: Fields | null;
}

/** Fields whose values differ, before and after; null if none does. Values are compared by identity. */
export function differences<Row extends Fields>(
  before: Row,
  after: Row,
): { before: Fields; after: Fields } | null {
  const names = Object.keys(after).filter((name) => before[name] !== after[name]);
  const pick = (row: Row): Fields => Object.fromEntries(names.map((name) => [name, row[name]]));
  return names.length === 0 ? null : { before: pick(before), after: pick(after) };
}
