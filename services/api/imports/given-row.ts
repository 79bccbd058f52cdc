import { arrayOf, externalKey, flag, jsonObject, text, timestamp } from '../../../base/checks/fields.ts';
import type { Checked } from '../../../base/checks/issues.ts';
import { optional, readMembers, type Values } from '../../../base/checks/members.ts';
import type { JsonObject } from '../../../base/json/exact-json.ts';
import type { JsonSource } from '../../../base/json/json-source.ts';
import type { Keyed } from '../external-keys/mint.ts';
import { newTag } from '../tags/schema.ts';

const NAMED = {
  external_key: optional(externalKey),
  name: optional(text(255)),
  description: optional(text(1024)),
};

const STATE = {
  is_active: optional(flag),
  valid_from: optional(timestamp),
  valid_to: optional(timestamp),
};

const TAGGED = { tags: optional(arrayOf(newTag)) };

const ASSET = { ...NAMED, ...STATE, metadata: optional(jsonObject), ...TAGGED };
const LOCATION = { ...NAMED, parent_external_key: optional(externalKey), ...STATE, ...TAGGED };

/** What a row can say, and so the columns of a file, in the order in which an export writes them. */
const MEMBERS = { asset: ASSET, location: LOCATION };

/** What a row says of an asset or a location. It need not have a name if there is one with its key. */
export type GivenRow = Values<typeof ASSET> & Partial<Values<typeof LOCATION>>;

export type Column = keyof GivenRow;

export const COLUMNS: Readonly<Record<Keyed, readonly Column[]>> = {
  asset: Object.keys(ASSET) as Column[],
  location: Object.keys(LOCATION) as Column[],
};

/** Reads what a row says by the rules for creating an asset or a location. */
export function readGivenRow(resource: Keyed, object: JsonObject, source: JsonSource): Checked<GivenRow> {
  return readMembers<typeof ASSET | typeof LOCATION>(MEMBERS[resource], object, {
    nullAdvice: '',
    prefix: '',
    source,
  }) as Checked<GivenRow>;
}
