import { integerSetting } from '../../../platform/runtime/setting-kinds.ts';

/**
 * Rate limits of one reader at the embedded broker, over all connections of its login. A portal reading a
 * thousand tags a second sends 0.2 MB/s; one that sends each read by itself, a thousand messages a second.
 * Reads count besides messages and bytes because a message of 400 KB can have 9,999 of them, each of an
 * unknown tag: ten of those a second stay within the other two limits and took others' look-ups from 20 to
 * 302 ms at the 99th percentile.
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
