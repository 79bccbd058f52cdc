import type { JsonObject } from '../../shared/http/exact-json.ts';
import { arrayOf, externalKey, flag, jsonObject, text, timestamp } from '../../shared/http/fields.ts';
import type { Read } from '../../shared/http/issues.ts';
import type { JsonSource } from '../../shared/http/json-source.ts';
import { optional, readMembers, type Values } from '../../shared/http/members.ts';
import { newTag } from '../tags/schema.ts';

/** What a row can say of an asset. It need not have a name if the asset exists. */
const IMPORTED_ASSET = {
  external_key: optional(externalKey),
  name: optional(text(255)),
  description: optional(text(1024)),
  is_active: optional(flag),
  valid_from: optional(timestamp),
  valid_to: optional(timestamp),
  metadata: optional(jsonObject),
  tags: optional(arrayOf(newTag)),
};

export type ImportedAsset = Values<typeof IMPORTED_ASSET>;

/** Reads what a row says by the rules for creating an asset. */
export function readImportedAsset(object: JsonObject, source: JsonSource): Read<ImportedAsset> {
  return readMembers(IMPORTED_ASSET, object, { nullAdvice: '', prefix: '', source, current: undefined });
}
