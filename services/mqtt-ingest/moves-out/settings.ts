import { MOST_SETTLE_SECONDS } from '../../../domain/moves/settle-seconds.ts';
import { integerSetting } from '../../../platform/runtime/setting-kinds.ts';
import type { Configuration, Setting } from '../../../platform/runtime/settings.ts';

export const MOVES_OUT_SETTINGS = {
  MQTT_MOVES_PREFIX: topicSetting('where on the broker to publish the place of every asset; unset: nowhere'),
  MQTT_MOVES_SETTLE_SECONDS: integerSetting(
    'for how many seconds an asset that moves is waited for before it is published',
    { initial: 0, min: 0, max: MOST_SETTLE_SECONDS },
  ),
  MQTT_HOME_ASSISTANT_PREFIX: topicSetting(
    "Home Assistant's discovery prefix (usually homeassistant), to have assets appear there; unset: they do not",
  ),
};

/** The name of sessions in the database of processes that publish, or stand by. */
export const MOVES_OUT_SESSION = 'tagtrail moves out';

export type MovesOutConfig = Configuration<typeof MOVES_OUT_SETTINGS>;

export function faultOfMovesOut({
  MQTT_MOVES_PREFIX: prefix,
  MQTT_HOME_ASSISTANT_PREFIX: discovery,
}: MovesOutConfig): string | null {
  if (discovery !== null && prefix === null) {
    return 'MQTT_HOME_ASSISTANT_PREFIX is of no use without MQTT_MOVES_PREFIX; set both, or unset it';
  }
  return discovery !== null && discovery === prefix
    ? 'MQTT_HOME_ASSISTANT_PREFIX is what MQTT_MOVES_PREFIX is; give them different values'
    : null;
}

function topicSetting(purpose: string): Setting<string | null> {
  return {
    purpose,
    initial: null,
    absent: null,
    remedy:
      'topic levels of letters, digits, dots, hyphens and underscores, such as tagtrail or acme/tracking',
    read: (text) => (text.length <= LONGEST && TOPIC.test(text) ? text : undefined),
  };
}

const TOPIC = /^[A-Za-z0-9_.-]+(\/[A-Za-z0-9_.-]+)*$/;
const LONGEST = 100;
