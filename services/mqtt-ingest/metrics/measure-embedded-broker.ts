import type { Registry } from 'prom-client';
import type { EmbeddedBrokerFigures } from '../source/embedded-broker.ts';
import { COMMITTED, HELD, measureFigures } from './measure-figures.ts';

export function measureEmbeddedBroker(registry: Registry, figures: () => EmbeddedBrokerFigures): void {
  measureFigures(registry, figures, { gauges: GAUGES, counters: COUNTERS });
}

const GAUGES = [
  ...HELD,
  ['tagtrail_broker_connections', 'Connections of readers that have signed in.', 'signedIn'],
  ['tagtrail_broker_unauthenticated', 'Connections that have not signed in.', 'unauthenticated'],
  ['tagtrail_broker_unreleased', 'Publishes at QoS 2 that readers have not released.', 'unreleased'],
] as const;

const COUNTERS = [
  ...COMMITTED,
  ['tagtrail_ingest_received_messages_total', 'Messages received, redeliveries included.', 'received'],
  ['tagtrail_broker_evicted_total', 'Connections ended to make room for newer ones.', 'evicted'],
  [
    'tagtrail_broker_taken_over_total',
    'Connections ended by another with the same login and client id.',
    'takenOver',
  ],
] as const;
