/** The entry for other processes: the command line, and the process that runs every service. */

export { type Replay, replay } from '../../domain/messages/replay.ts';
export { startEmbeddedIngest, startSubscribedIngest } from './ingest.ts';
export { placeOfBroker } from './source/broker-address.ts';
export { queuesOf } from './source/broker-settings.ts';
export { placeOfNode, type QueueAddress, type QueueBroker } from './source/queue-address.ts';
