/** Whom queries of an organization run as: a role that row-level security binds. */
export const ORGANIZATION_ROLE = 'tagtrail_api';
