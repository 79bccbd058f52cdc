import { useEffect, useRef, useState } from 'preact/hooks';
import { CameraFault, type CameraProblem, watchCodes } from '../scanning/camera.ts';
import { Repeats } from '../scanning/repeats.ts';
import { Sheet } from './sheet.tsx';

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
  const video = useRef<HTMLVideoElement>(null);
  const heard = useRef(onCode);
  heard.current = onCode;
  const [problem, setProblem] = useState<CameraProblem | null>(null);
  useEffect(() => {
    let stop: (() => void) | null = null;
    let isClosed = false;
    const repeats = new Repeats();
    const onSeen = (value: string) => {
      if (repeats.isNew(value, performance.now())) {
        heard.current(value);
      }
    };
    if (video.current !== null) {
      watchCodes(video.current, onSeen).then(
        (started) => {
          stop = started;
          if (isClosed) {
            started();
          }
        },
        (error) => {
          if (!(error instanceof CameraFault)) {
            throw error;
          }
          setProblem(error.problem);
        },
      );
    }
    return () => {
      isClosed = true;
      stop?.();
    };
  }, []);
  return (
    <Sheet title={title} onClose={onClose}>
      {problem === null ? (
        <div class="finder">
          <video ref={video} muted playsInline aria-label="What the camera sees" />
          <div class="finder-frame" aria-hidden="true" />
        </div>
      ) : (
        <div class="advice" role="alert">
          <h3>{problem.title}</h3>
          <p>{problem.remedy}</p>
        </div>
      )}
      {problem === null && children}
    </Sheet>
  );
}
