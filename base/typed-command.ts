import { env } from 'node:process';

/**
 * How the command line is typed here, for hints: `TAGTRAIL_COMMAND`, which systemd's units and the image set; otherwise
 * as in the project's folder.
 */
export const TAGTRAIL = env['TAGTRAIL_COMMAND'] ?? 'npx --no -- tagtrail';
