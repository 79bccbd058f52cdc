import { readFileSync } from 'node:fs';
import { KEY_MAX_LENGTH, KEY_PATTERN } from '../../../base/checks/fields.ts';
import { MAX_ID } from '../../../base/checks/id-field.ts';
import { DEPTH_LIMIT } from '../../../base/json/exact-json.ts';
import { PUBLIC_SCOPES } from '../../../domain/administration/api-keys/scopes.ts';
import { PAGING } from '../../../platform/http/lists.ts';
import { JSON_TYPE, MERGE_PATCH_TYPE } from '../../../platform/http/media-type.ts';
import type { ProblemType } from '../../../platform/http/problem.ts';
import { BODY_LIMIT } from '../../../platform/http/read-body.ts';
import { codeTable, problemTable } from './error-tables.ts';

export interface Limits {
  perMinute: number;
  burst: number;
}

/**
 * The introduction in Markdown: `guide.md` with the current figures. Second-level headings begin sections.
 *
 * @param address of the API for clients; null if unknown.
 */
export function guide(
  { perMinute, burst }: Limits,
  types: readonly ProblemType[],
  address: string | null,
): string {
  const values: Readonly<Record<string, unknown>> = {
    whereTheApiIs:
      address === null ? '# where you got this page from, and your key' : '# where the API is, and your key',
    address: address ?? 'http://127.0.0.1:8080',
    scopes: PUBLIC_SCOPES.map((scope) => `\`${scope}\``).join(', '),
    jsonType: JSON_TYPE,
    mergePatchType: MERGE_PATCH_TYPE,
    maxId: MAX_ID,
    keyMaxLength: KEY_MAX_LENGTH,
    keyPattern: KEY_PATTERN.source,
    mostRows: PAGING.limit.schema['maximum'],
    rows: PAGING.limit.schema['default'],
    problemTable: problemTable(types),
    codeTable: codeTable(),
    burst,
    perMinute,
    bodyMebibytes: BODY_LIMIT / 1_048_576,
    depthLimit: DEPTH_LIMIT,
  };
  const text = readFileSync(new URL('guide.md', import.meta.url), 'utf8');
  return text.replace(/\{\{(\w+)\}\}/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) {
      throw new Error(`guide.md has {{${name}}}, which nothing is known of`);
    }
    return String(value);
  });
}
