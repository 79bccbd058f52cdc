import type { Registry } from 'prom-client';
import type { SubscriberFigures } from '../source/subscriber.ts';
import { COMMITTED, HELD, measureFigures } from './measure-figures.ts';

export function measureSubscriber(registry: Registry, figures: () => SubscriberFigures): void {
  measureFigures(registry, figures, { gauges: GAUGES, counters: COUNTERS });
}

const GAUGES = [
  ['tagtrail_ingest_broker_connected', 'Whether the broker is connected: 1 or 0.', 'isConnected'],
  ...HELD,
  ['tagtrail_ingest_subscriptions', 'Topics subscribed to.', 'subscribed'],
  ['tagtrail_ingest_refused_subscriptions', 'Topics that the broker refuses.', 'refused'],
  ['tagtrail_ingest_sessions', 'Sessions among which readers are divided that this process has.', 'sessions'],
  [
    'tagtrail_ingest_session_lost_timestamp_seconds',
    'When the broker was last found to have lost a session and what it had queued; 0 is never.',
    'forgottenAt',
  ],
] as const;

const COUNTERS = [
  ['tagtrail_ingest_broker_connections_total', 'Connections made to the broker.', 'connections'],
  [
    'tagtrail_ingest_received_messages_total',
    'Messages received from the broker, redeliveries included.',
    'received',
  ],
  ...COMMITTED,
] as const;
