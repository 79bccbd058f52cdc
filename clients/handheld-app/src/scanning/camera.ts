/** The Barcode Detection API of Chrome on Android and macOS, missing from TypeScript's library. */
interface BarcodeDetector {
  detect(image: CanvasImageSource): Promise<{ rawValue: string }[]>;
}

declare global {
  interface Window {
    BarcodeDetector?: {
      new (options?: { formats: string[] }): BarcodeDetector;
      getSupportedFormats(): Promise<string[]>;
    };
  }
}

export type CameraProblem = { title: string; remedy: string };

const UNABLE: CameraProblem = {
  title: 'This browser cannot read codes with the camera',
  remedy: 'Chrome on Android can. Here, use a scanner that types, or type the value in.',
};

const INSECURE: CameraProblem = {
  title: 'The camera needs a secure connection',
  remedy: 'Open the app by its https address, or use a scanner that types.',
};

const DENIED: CameraProblem = {
  title: 'The camera is not allowed',
  remedy: 'Tap the lock beside the address, allow the camera for this page, and try again.',
};

const NO_CAMERA: CameraProblem = {
  title: 'There is no camera to use',
  remedy: 'It may be in use by another app. Close that, or use a scanner that types.',
};

const PAUSE_MS = 120;

/**
 * Shows the camera's picture in `video` and reports each code it sees, until stopped.
 *
 * @throws CameraFault if it cannot.
 */
export async function watchCodes(
  video: HTMLVideoElement,
  onCode: (value: string) => void,
): Promise<() => void> {
  const { BarcodeDetector } = window;
  if (!window.isSecureContext || navigator.mediaDevices === undefined) {
    throw new CameraFault(INSECURE);
  }
  if (BarcodeDetector === undefined) {
    throw new CameraFault(UNABLE);
  }
  const formats = await BarcodeDetector.getSupportedFormats();
  if (formats.length === 0) {
    throw new CameraFault(UNABLE);
  }
  const stream = await openCamera();
  const detector = new BarcodeDetector({ formats });
  video.srcObject = stream;
  await video.play();
  let timer: ReturnType<typeof setTimeout>;
  const look = async () => {
    // A frame that cannot be read is followed by one that can.
    const codes = await detector.detect(video).catch(() => []);
    for (const { rawValue } of codes) {
      onCode(rawValue);
    }
    timer = setTimeout(look, PAUSE_MS);
  };
  timer = setTimeout(look, 0);
  return () => {
    clearTimeout(timer);
    for (const track of stream.getTracks()) {
      track.stop();
    }
    video.srcObject = null;
  };
}

export class CameraFault extends Error {
  readonly problem: CameraProblem;

  constructor(problem: CameraProblem) {
    super(problem.title);
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
    throw new CameraFault(isDenied ? DENIED : NO_CAMERA);
  }
}
