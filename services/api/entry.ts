/** What other processes may take of the API. */
export { startApi } from './start.ts';
