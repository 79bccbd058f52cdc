import { integerSetting } from '../../shared/runtime/setting-kinds.ts';

/**
 * What one reader may send to the embedded broker, by all connections of its login. A portal that reads a thousand tags
 * a second sends 0.2 MB/s; one that sends each read by itself, a thousand messages a second.
 */
export const QUOTA_SETTINGS = {
  READER_MESSAGES_PER_SECOND: integerSetting('messages a second that one reader may send', {
    initial: 2_000,
    min: 1,
    max: 1_000_000,
  }),
  READER_BYTES_PER_SECOND: integerSetting('bytes a second that one reader may send', {
    initial: 4_194_304,
    min: 1_024,
    max: 1_073_741_824,
  }),
};
