import { integerSetting } from '../../../platform/runtime/setting-kinds.ts';

/**
 * What one reader may send to the embedded broker, by all connections of its login. A portal that reads a thousand tags
 * a second sends 0.2 MB/s; one that sends each read by itself, a thousand messages a second. Reads count beside messages
 * and bytes because a message of 400 KB can have 9,999 of them, each of a tag that nobody knows: ten such a second are
 * within the other two, and took the look-ups of others from 20 to 302 ms at the 99th percentile.
 */
export const QUOTA_SETTINGS = {
  READER_MESSAGES_PER_SECOND: integerSetting('messages a second that one reader may send', {
    initial: 2_000,
    min: 1,
    max: 1_000_000,
  }),
  READER_READS_PER_SECOND: integerSetting('reads of tags a second that one reader may send', {
    initial: 10_000,
    min: 1,
    max: 10_000_000,
  }),
  READER_BYTES_PER_SECOND: integerSetting('bytes a second that one reader may send', {
    initial: 4_194_304,
    min: 1_024,
    max: 1_073_741_824,
  }),
};
