import { wireTime, wireTimeOrNull } from '../../../base/timestamps.ts';
import { sql } from '../../../db/timescale/queries/sql.ts';

/** A stored key without the digest of its secret. Times are `timestamptz` text. */
export interface ApiKeyRow {
  id: string;
  name: string;
  scopes: string[];
  created_at: string;
  expires_at: string | null;
  revoked_at: string | null;
  last_used_at: string | null;
}

export const KEY_COLUMNS = sql.fragment`api_key.id, api_key.name, api_key.scopes, api_key.created_at,
  api_key.expires_at, api_key.revoked_at, api_key.last_used_at`;

/** A key as the API and the command line show it. */
export function shownKey(key: ApiKeyRow) {
  return {
    id: key.id,
    name: key.name,
    scopes: key.scopes,
    created_at: wireTime(key.created_at),
    expires_at: wireTimeOrNull(key.expires_at),
    revoked_at: wireTimeOrNull(key.revoked_at),
    last_used_at: wireTimeOrNull(key.last_used_at),
  };
}
