/**
 * Alerts of an organization that are raised within an hour: more than anybody looks at, and few enough that others share the
 * database with it. 200 rules that each find 20,000 assets would raise four million.
 */
export const MOST_RAISED = 20_000;
