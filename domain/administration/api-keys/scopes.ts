/** Scopes a key for the public API can have. A write scope does not imply the read scope. */
export const PUBLIC_SCOPES = [
  'assets:read',
  'assets:write',
  'locations:read',
  'locations:write',
  'tracking:read',
  'tracking:write',
  'changes:read',
] as const;

/** Scopes for operators; only the command line grants them. */
export const INTERNAL_SCOPES = ['keys:admin', 'webhooks:admin', 'rules:admin'] as const;

export type Scope = (typeof PUBLIC_SCOPES)[number] | (typeof INTERNAL_SCOPES)[number];

export const SCOPES: readonly Scope[] = [...PUBLIC_SCOPES, ...INTERNAL_SCOPES];

export function isScope(text: string): text is Scope {
  return SCOPES.some((scope) => scope === text);
}
