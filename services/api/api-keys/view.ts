import { wireTime, wireTimeOrNull } from '../../../base/timestamps.ts';
import type { IssuedKey } from '../../../domain/administration/api-keys/issue-key.ts';
import type { ApiKeyRow } from '../../../domain/administration/api-keys/key-row.ts';

export function apiKeyView(row: ApiKeyRow) {
  return {
    ...shown(row),
    revoked_at: wireTimeOrNull(row.revoked_at),
    last_used_at: wireTimeOrNull(row.last_used_at),
  };
}

export function issuedApiKeyView({ row, key }: IssuedKey) {
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
