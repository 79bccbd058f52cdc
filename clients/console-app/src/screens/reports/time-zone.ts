/** Where the viewer's days begin. */
export const TIME_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;
