/** The public entry for other processes. */
export { startApi } from './start.ts';
