import { readCode } from '../../../../base/scanned-text.ts';
import { codeOf } from './code-of.ts';

/** The Barcode Detection API of Chrome on Android and macOS, missing from TypeScript's library. */
interface BarcodeDetector {
  detect(image: CanvasImageSource): Promise<{ rawValue: string; format?: string }[]>;
}

declare global {
  interface Window {
    BarcodeDetector?: {
      new (options?: { formats: string[] }): BarcodeDetector;
      getSupportedFormats(): Promise<string[]>;
    };
  }
}

/** The text of why it cannot, and what to do. */
export type CameraProblem = 'notHere' | 'insecure' | 'denied' | 'none';

const PAUSE_MS = 120;

/** Controls while it watches. */
export interface Watching {
  stop(): void;
  /** Null where the camera has none, or the browser does not say. */
  setTorch: ((isOn: boolean) => void) | null;
  zoom: { min: number; max: number; step: number; now: number; set(value: number): void } | null;
}

/**
 * Shows the camera's picture in `video` and reports each code it sees, until stopped.
 *
 * @throws CameraFault if it cannot.
 */
export async function watchCodes(
  video: HTMLVideoElement,
  onCode: (value: string) => void,
): Promise<Watching> {
  if (!window.isSecureContext || navigator.mediaDevices === undefined) {
    throw new CameraFault('insecure');
  }
  const read = await codeReader();
  const stream = await openCamera();
  video.srcObject = stream;
  const release = () => {
    for (const track of stream.getTracks()) {
      track.stop();
    }
    video.srcObject = null;
  };
  try {
    await video.play();
  } catch (error) {
    release(); // closed meanwhile: the camera's light must not stay on
    throw error;
  }
  let timer: ReturnType<typeof setTimeout>;
  let isStopped = false;
  const look = async () => {
    // A frame that cannot be read is followed by one that can.
    const codes = await read(video).catch(() => []);
    if (isStopped) {
      return;
    }
    for (const code of codes) {
      onCode(readCode(code));
    }
    timer = setTimeout(look, PAUSE_MS);
  };
  timer = setTimeout(look, 0);
  return {
    stop: () => {
      isStopped = true;
      clearTimeout(timer);
      release();
    },
    ...controlsOf(stream.getVideoTracks()[0]),
  };
}

/** Torch and zoom are in no standard that TypeScript's library knows. */
interface Capabilities {
  torch?: boolean;
  zoom?: { min: number; max: number; step?: number };
}

function controlsOf(track: MediaStreamTrack | undefined): Pick<Watching, 'setTorch' | 'zoom'> {
  const { torch, zoom } = (track?.getCapabilities?.() ?? {}) as Capabilities;
  // A camera that refuses stays as it is.
  const set = (settings: object) =>
    void track?.applyConstraints({ advanced: [settings] } as MediaTrackConstraints).catch(() => {});
  const { zoom: now = zoom?.min ?? 1 } = (track?.getSettings() ?? {}) as { zoom?: number };
  return {
    setTorch: torch === true ? (isOn) => set({ torch: isOn }) : null,
    zoom:
      zoom === undefined || zoom.max <= zoom.min
        ? null
        : { min: zoom.min, max: zoom.max, step: zoom.step ?? 0.1, now, set: (value) => set({ zoom: value }) },
  };
}

/** The browser's own reader if it has one, else ours. */
async function codeReader(): Promise<(video: HTMLVideoElement) => Promise<string[]>> {
  const formats = (await window.BarcodeDetector?.getSupportedFormats().catch(() => [])) ?? [];
  if (window.BarcodeDetector !== undefined && formats.length > 0) {
    const detector = new window.BarcodeDetector({ formats });
    return async (video) =>
      (await detector.detect(video)).map(({ rawValue, format }) => codeOf(rawValue, format));
  }
  try {
    const { openDecoder } = await import('./decoder.ts');
    const decode = await openDecoder();
    const canvas = document.createElement('canvas');
    return async (video) => {
      const image = pictureOf(video, canvas);
      return image === null ? [] : decode(image);
    };
  } catch {
    throw new CameraFault('notHere');
  }
}

const LONGEST_SIDE = 1280;

function pictureOf(video: HTMLVideoElement, canvas: HTMLCanvasElement): ImageData | null {
  const { videoWidth, videoHeight } = video;
  const context = canvas.getContext('2d', { willReadFrequently: true });
  if (videoWidth === 0 || context === null) {
    return null;
  }
  const scale = Math.min(1, LONGEST_SIDE / Math.max(videoWidth, videoHeight));
  canvas.width = Math.round(videoWidth * scale);
  canvas.height = Math.round(videoHeight * scale);
  context.drawImage(video, 0, 0, canvas.width, canvas.height);
  return context.getImageData(0, 0, canvas.width, canvas.height);
}

export class CameraFault extends Error {
  readonly problem: CameraProblem;

  constructor(problem: CameraProblem) {
    super(problem);
    this.problem = problem;
  }
}

async function openCamera(): Promise<MediaStream> {
  try {
    return await navigator.mediaDevices.getUserMedia({
      video: { facingMode: 'environment', width: { ideal: 1280 } },
    });
  } catch (error) {
    const isDenied = error instanceof DOMException && error.name === 'NotAllowedError';
    throw new CameraFault(isDenied ? 'denied' : 'none');
  }
}
