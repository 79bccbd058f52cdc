import { useEffect, useState } from 'preact/hooks';
import { Icon } from '../../../ui/parts/icon.tsx';
import { useApp } from '../app/app-context.ts';
import { Sounds } from '../feedback/sounds.ts';
import type { GatewayClient } from '../gateway/client.ts';
import type { HeardRead } from '../gateway/found-asset.ts';
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

const TRIED_AGAIN_MS = 3_000;

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
  const [heard, setHeard] = useState<Heard | null | undefined>(undefined);
  const t = texts.value.signal;
  useEffect(() => {
    const stop = new AbortController();
    const { signal } = stop;
    document.addEventListener('visibilitychange', () => document.hidden && onStop(), { signal });
    if (token !== null) {
      void keepListening(finding.gateway, { token, id, signal }, setHeard);
    }
    return () => stop.abort();
  }, [id, token]);
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
        {heard === undefined ? t.begins : heard === null ? t.silent : t.at(heard.place ?? t.somewhere)}
      </p>
      {heard?.rssi != null && <p class="hint">{t.dbm(heard.rssi)}</p>}
    </>
  );
}

/** Until the signal: a connection that ends is made again. */
async function keepListening(
  gateway: GatewayClient,
  { token, id, signal }: { token: string; id: number; signal: AbortSignal },
  onHeard: (heard: Heard | null | undefined) => void,
): Promise<void> {
  while (!signal.aborted) {
    try {
      for await (const reads of gateway.listen(token, id, signal)) {
        onHeard(reads === null ? undefined : strongest(reads));
      }
    } catch {
      // The network has gone, or somebody has stopped it.
    }
    if (!signal.aborted) {
      onHeard(undefined);
      await new Promise((resolve) => setTimeout(resolve, TRIED_AGAIN_MS));
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
