import { useEffect, useState } from 'preact/hooks';
import { Icon } from '../../../ui/parts/icon.tsx';
import { useApp } from '../app/app-context.ts';
import { Sounds } from '../feedback/sounds.ts';
import type { GatewayClient, Listened } from '../gateway/client.ts';
import type { HeardRead } from '../gateway/found-asset.ts';
import { backOff } from '../queue/back-off.ts';
import { texts } from '../texts/texts.ts';

/** dBm of an empty bar and of a full one. */
const WEAKEST = -85;
const STRONGEST = -35;
/** Of readers that report no strength. */
const MIDDLE = 0.5;

/** Seconds for which a read counts, and milliseconds between tones at either end of the bar. */
const COUNTS_FOR = 4;
const SLOWEST = 1_200;
const QUICKEST = 120;

/** In seconds, where the gateway does not say when. */
const TRIED_AGAIN = 3;

/** The strongest recent read; null where there is none. */
interface Heard {
  place: string | null;
  rssi: number | null;
  /** Of the bar, 0 to 1. */
  level: number;
}

/** A bar that grows and a tone that quickens with the strength at which fixed readers hear an asset. */
export function SignalFinder({ id }: { id: number }) {
  const [isOn, setOn] = useState(false);
  const t = texts.value.signal;
  return (
    <section class="signal" aria-label={t.title}>
      <button type="button" class="secondary" aria-pressed={isOn} onClick={() => setOn(!isOn)}>
        <Icon name={isOn ? 'close' : 'search'} />
        {isOn ? t.stop : t.start}
      </button>
      {isOn && <Bar id={id} onStop={() => setOn(false)} />}
    </section>
  );
}

function Bar({ id, onStop }: { id: number; onStop: () => void }) {
  const { finding, session, settings } = useApp();
  const token = session.token.value;
  const [answer, setAnswer] = useState<Listened | null>(null);
  const t = texts.value.signal;
  useEffect(() => {
    const stop = new AbortController();
    const { signal } = stop;
    document.addEventListener('visibilitychange', () => document.hidden && onStop(), { signal });
    if (token !== null) {
      void keepListening(finding.gateway, { token, id, signal }, setAnswer);
    }
    return () => stop.abort();
  }, [id, token]);
  const heard = answer?.kind === 'ok' && answer.data !== null ? strongest(answer.data) : undefined;
  const level = heard?.level ?? null;
  useTone(level, settings.now.value.sound);
  return (
    <>
      <meter
        class="signal-bar"
        aria-label={t.title}
        min={0}
        max={100}
        value={Math.round((level ?? 0) * 100)}
      />
      <p role="status">
        {heard === undefined && (answer === null || answer.kind === 'ok' ? t.begins : answer.detail)}
        {heard !== undefined && (heard === null ? t.silent : t.at(heard.place ?? t.somewhere))}
      </p>
      {heard?.rssi != null && <p class="hint">{t.dbm(heard.rssi)}</p>}
    </>
  );
}

/** Until the signal, or for good refused: a connection that ends is made again. */
async function keepListening(
  gateway: GatewayClient,
  { token, id, signal }: { token: string; id: number; signal: AbortSignal },
  onAnswer: (answer: Listened | null) => void,
): Promise<void> {
  while (!signal.aborted) {
    let answer: Listened | null = null;
    try {
      for await (answer of gateway.listen(token, id, signal)) {
        onAnswer(answer);
      }
    } catch {
      // The network has gone, or somebody has stopped it.
    }
    if (answer !== null && answer.kind !== 'ok' && answer.kind !== 'unreachable') {
      return;
    }
    const asked = answer?.kind === 'unreachable' ? answer.seconds : null;
    if (!signal.aborted) {
      onAnswer(answer?.kind === 'ok' ? null : answer);
      await new Promise((resolve) => setTimeout(resolve, backOff(1, Math.random(), asked ?? TRIED_AGAIN)));
    }
  }
}

function strongest(reads: readonly HeardRead[]): Heard | null {
  const recent = reads.filter(({ seconds_ago: ago }) => ago <= COUNTS_FOR);
  const levels = recent.map(({ rssi, location }) => ({
    ...{ rssi, place: location?.name ?? null },
    level: rssi === null ? MIDDLE : Math.min(1, Math.max(0.02, (rssi - WEAKEST) / (STRONGEST - WEAKEST))),
  }));
  return levels.sort((one, other) => other.level - one.level)[0] ?? null;
}

/** Short tones, quicker for a fuller bar; none without one. */
function useTone(level: number | null, isLoud: boolean): void {
  const [sounds] = useState(() => new Sounds());
  // In steps, so that small changes do not begin the pause again.
  const step = level === null ? null : Math.round(level * 10) / 10;
  useEffect(() => {
    if (step === null) {
      return;
    }
    const every = SLOWEST - (SLOWEST - QUICKEST) * step;
    const timer = setInterval(() => sounds.play('taken', isLoud), every);
    return () => clearInterval(timer);
  }, [step, isLoud]);
}
