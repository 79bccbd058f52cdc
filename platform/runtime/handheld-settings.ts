import { optionalUrl, portSetting } from './setting-kinds.ts';

export const HANDHELD_PORT = portSetting('the port handhelds connect to', 8081);

/** The gateway itself does not ask for it: the command line and the console show it to devices. */
export const HANDHELD_URL = optionalUrl(
  'the address people open the handhelds’ app at, for QR codes to sign in by',
  ['https:', 'http:'],
  'https://handhelds.example.com',
);
