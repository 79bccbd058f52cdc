/** What other processes may take of the gateway. */
export { startGateway } from './start.ts';
