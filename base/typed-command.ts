import { env } from 'node:process';

/**
 * How the command line is typed here, for hints: `TAGTRAIL_COMMAND`, which systemd's units, the image and an installed
 * package set; otherwise as in the project's folder.
 */
export const TAGTRAIL = env['TAGTRAIL_COMMAND'] ?? 'npx --no -- tagtrail';

/** Everything in one process. */
export const START = env['TAGTRAIL_COMMAND'] === undefined ? 'npm start' : `${TAGTRAIL} start`;
