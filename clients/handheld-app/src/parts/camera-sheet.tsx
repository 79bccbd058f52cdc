import { useEffect, useRef, useState } from 'preact/hooks';
import { Icon } from '../../../ui/parts/icon.tsx';
import { Sheet } from '../../../ui/parts/sheet.tsx';
import { CameraFault, type CameraProblem, type Watching, watchCodes } from '../scanning/camera.ts';
import { texts } from '../texts/texts.ts';

export function CameraSheet({
  title,
  onCode,
  onClose,
  children,
}: {
  title: string;
  onCode: (value: string) => void;
  onClose: () => void;
  children?: preact.ComponentChildren;
}) {
  const { camera } = texts.value;
  const video = useRef<HTMLVideoElement>(null);
  const heard = useRef(onCode);
  heard.current = onCode;
  const [problem, setProblem] = useState<CameraProblem | null>(null);
  const [watching, setWatching] = useState<Watching | null>(null);
  useEffect(() => {
    let started: Watching | null = null;
    let isClosed = false;
    const repeats = new Repeats();
    const onSeen = (value: string) => {
      if (repeats.isNew(value, performance.now())) {
        heard.current(value);
      }
    };
    if (video.current !== null) {
      watchCodes(video.current, onSeen).then(
        (now) => {
          started = now;
          if (isClosed) {
            now.stop();
          } else {
            setWatching(now);
          }
        },
        (error) => {
          if (isClosed) {
            return;
          }
          if (!(error instanceof CameraFault)) {
            throw error;
          }
          setProblem(error.problem);
        },
      );
    }
    return () => {
      isClosed = true;
      started?.stop();
    };
  }, []);
  return (
    <Sheet closeLabel={texts.value.frame.close} title={title} onClose={onClose}>
      {problem === null ? (
        <div class="finder">
          <video ref={video} muted playsInline aria-label={camera.sees} />
          <div class="finder-frame" aria-hidden="true" />
          {watching !== null && <CameraControls watching={watching} />}
        </div>
      ) : (
        <div class="advice" role="alert">
          <h3>{camera[problem].title}</h3>
          <p>{camera[problem].remedy}</p>
        </div>
      )}
      {problem === null && children}
    </Sheet>
  );
}

/** Torch and zoom, where the camera has them. */
function CameraControls({ watching: { setTorch, zoom } }: { watching: Watching }) {
  const [isOn, setOn] = useState(false);
  return (
    <div class="finder-controls">
      {zoom !== null && (
        <input
          type="range"
          class="finder-zoom"
          aria-label={texts.value.camera.zoom}
          min={zoom.min}
          max={zoom.max}
          step={zoom.step}
          defaultValue={String(zoom.now)}
          onInput={(event) => zoom.set(event.currentTarget.valueAsNumber)}
        />
      )}
      {setTorch !== null && (
        <button
          type="button"
          class="round finder-torch"
          aria-label={texts.value.camera.torch}
          aria-pressed={isOn}
          onClick={() => {
            setTorch(!isOn);
            setOn(!isOn);
          }}
        >
          <Icon name="torch" />
        </button>
      )}
    </div>
  );
}

const QUIET_MS = 2_500;

/** Tells a code that stays in the camera's view from one shown again. */
class Repeats {
  readonly #lastSeen = new Map<string, number>();

  /**
   * @param at milliseconds.
   * @returns whether the code had been out of sight.
   */
  isNew(value: string, at: number): boolean {
    const last = this.#lastSeen.get(value);
    this.#lastSeen.set(value, at);
    return last === undefined || at - last > QUIET_MS;
  }
}
