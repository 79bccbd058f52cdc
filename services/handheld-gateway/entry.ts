export { startGateway } from './start.ts';
