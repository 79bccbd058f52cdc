import { integerSetting } from '../../platform/runtime/setting-kinds.ts';

export const QUERY_TIMEOUT_MS = integerSetting('how long a list that may read much may take', {
  initial: 10_000,
  min: 100,
  max: 600_000,
});
