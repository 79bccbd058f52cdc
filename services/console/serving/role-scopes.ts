import type { Role } from '../../../domain/administration/users/roles.ts';

/** The rights of each role; a route declares one of these. */
const VIEWER = [
  'assets:read',
  'locations:read',
  'tracking:read',
  'readers:read',
  'inbox:read',
  'changes:read',
];

const OPERATOR = [
  ...VIEWER,
  'assets:write',
  'locations:write',
  'imports:write',
  'inbox:write',
  'readers:listen',
  'alerts:write',
];

const ADMIN = [
  ...OPERATOR,
  'organization:admin',
  'keys:admin',
  'webhooks:admin',
  'rules:admin',
  'readers:admin',
  'formats:admin',
  'locating:admin',
  'handhelds:admin',
  'users:admin',
  'health:admin',
];

export const SCOPES_OF: Readonly<Record<Role, readonly string[]>> = {
  viewer: VIEWER,
  operator: OPERATOR,
  admin: ADMIN,
};
