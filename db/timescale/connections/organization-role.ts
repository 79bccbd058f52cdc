export const ORGANIZATION_ROLE = 'tagtrail_api';
