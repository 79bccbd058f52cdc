export const BEGIN = '/console/v1/oidc/begin';
export const CALLBACK = '/console/v1/oidc/callback';
