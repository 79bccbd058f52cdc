import { optionalUrl } from '../../../platform/runtime/setting-kinds.ts';

export const DESCRIPTION_SETTINGS = {
  PUBLIC_URL: optionalUrl(
    'the address clients reach the API at, for its description; without one, wherever they got that from',
    ['http:', 'https:'],
    'https://tagtrail.example.com',
  ),
};
