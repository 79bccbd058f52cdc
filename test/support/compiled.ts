import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

/** What was compiled once is not compiled again, which is half of what a process of tests, or a program, takes to start. */
export const COMPILED = fileURLToPath(new URL('../../node_modules/.cache/tagtrail-test', import.meta.url));

// mocha brings this in before all else that it loads.
enableCompileCache(COMPILED);
