import { useState } from 'preact/hooks';
import { Icon } from '../../../ui/parts/icon.tsx';
import type { Watching } from '../scanning/camera.ts';
import { texts } from '../texts/texts.ts';

/** Torch and zoom, where the camera has them. */
export function CameraControls({ watching: { setTorch, zoom } }: { watching: Watching }) {
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
