/** The public entry for other processes: the command line, and the one that runs every service. */
export { startEmbeddedIngest, startSubscribedIngest } from './ingest.ts';
export { loadRegistered } from './registry/load-registered.ts';
export { type Replay, replay } from './rejected/replay.ts';
export { placeOfBroker } from './source/broker-address.ts';
