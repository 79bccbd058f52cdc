export { startConsole } from './start.ts';
