import { fileURLToPath } from 'node:url';
import { appHeaders } from '../../platform/http/app-files/app-headers.ts';

/** Built by `npm install`. */
export const APP_FOLDER = fileURLToPath(new URL('../../clients/console-app/dist', import.meta.url));

/** The app needs nothing of the device: handhelds have the camera. */
export const APP_HEADERS = appHeaders({}, 'camera=(), geolocation=(), microphone=()');
