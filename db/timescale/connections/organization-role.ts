/** Row-level security binds this role. */
export const ORGANIZATION_ROLE = 'tagtrail_api';
