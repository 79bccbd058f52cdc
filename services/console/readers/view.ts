import { wireTime, wireTimeOrNull } from '../../../base/timestamps.ts';
import type { ReaderNow } from '../../../domain/administration/readers/page-of-readers.ts';
import type { ReaderRefusal } from '../../../domain/health/sign-ins.ts';
import type { readSpans } from '../../../domain/presence/read-spans.ts';

export function readerView(reader: ReaderNow) {
  const { id, name, topic, format, state, antennas, counters, clock, stretch } = reader;
  return {
    ...{ id, name, topic, format, state, antennas, counters, clock },
    mqtt_username: reader.mqttUsername,
    expect_seconds: reader.expectSeconds,
    unheard_since: wireTimeOrNull(reader.unheardSince),
    expected_seconds: reader.expectedSeconds,
    created_at: wireTime(reader.createdAt),
    last_message_at: wireTimeOrNull(reader.lastMessageAt),
    last_used_at: wireTimeOrNull(reader.lastUsedAt),
    connected_at: wireTimeOrNull(reader.connectedAt),
    stretch: stretch && {
      since: wireTime(stretch.since),
      until: wireTime(stretch.until),
      messages: stretch.messages,
    },
  };
}

const FAULTS = {
  reader: 'wrong_credentials',
  reader_mqtt_5: 'mqtt_5',
  reader_taken_over: 'shared_login',
} as const;

export function signInFaultView({ kind, hour, day, last_at: at }: ReaderRefusal) {
  return { fault: FAULTS[kind], in_hour: hour, in_day: day, last_at: wireTime(at) };
}

export function spansView({ from, to, spans }: Awaited<ReturnType<typeof readSpans>>) {
  return {
    from: wireTime(from),
    to: wireTime(to),
    spans: spans.map((span) => ({
      ...{ state: span.state, from: wireTime(span.from), to: wireTimeOrNull(span.to) },
      ...{ learned_at: wireTimeOrNull(span.learnedAt), messages: span.messages },
    })),
  };
}
