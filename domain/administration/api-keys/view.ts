import { wireTime, wireTimeOrNull } from '../../../base/timestamps.ts';

export interface ApiKeyRow {
  id: string;
  name: string;
  scopes: string[];
  created_at: string;
  expires_at: string | null;
  revoked_at: string | null;
  last_used_at: string | null;
}

export type ApiKeyView = ReturnType<typeof apiKeyView>;

export function apiKeyView(row: ApiKeyRow) {
  return {
    ...shown(row),
    revoked_at: wireTimeOrNull(row.revoked_at),
    last_used_at: wireTimeOrNull(row.last_used_at),
  };
}

/** The one view that has the key itself. */
export function issuedApiKeyView(row: ApiKeyRow, key: string) {
  return { ...shown(row), key };
}

function shown(row: ApiKeyRow) {
  return {
    id: row.id,
    name: row.name,
    scopes: row.scopes,
    created_at: wireTime(row.created_at),
    expires_at: wireTimeOrNull(row.expires_at),
  };
}
