import { useEffect, useRef, useState } from 'preact/hooks';
import { Sheet } from '../../../ui/parts/sheet.tsx';
import { CameraFault, type CameraProblem, type Watching, watchCodes } from '../scanning/camera.ts';
import { Repeats } from '../scanning/repeats.ts';
import { texts } from '../texts/texts.ts';
import { CameraControls } from './camera-controls.tsx';

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
