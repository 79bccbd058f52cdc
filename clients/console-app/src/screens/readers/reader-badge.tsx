import { serverNow } from '../../api/server-clock.ts';
import type { Reader, ReaderState } from '../../api/types.ts';
import { Badge, type Tone } from '../../parts/badge.tsx';
import { durationText } from '../../parts/duration.ts';
import { texts } from '../../texts/texts.ts';

const TONES: Readonly<Record<ReaderState, Tone>> = {
  heard: 'moved',
  new: 'moved',
  silent: 'problem',
  disconnected: 'problem',
  never: 'queued',
  no_format: 'problem',
};

export function ReaderBadge({ reader: { state } }: { reader: Reader }) {
  return <Badge tone={TONES[state]}>{texts.value.readers.states[state]}</Badge>;
}

/** Milliseconds of silence; null if it never said anything. */
function silenceOf({ last_message_at: at }: Reader): number | null {
  return at === null ? null : Math.max(0, serverNow() - Date.parse(at));
}

export function Silence({ reader }: { reader: Reader }) {
  const silence = silenceOf(reader);
  return silence === null ? (
    <span class="none">–</span>
  ) : (
    <span>{texts.value.readers.ago(durationText(silence))}</span>
  );
}
