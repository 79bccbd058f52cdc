import type { PublishedAt } from '../../../domain/administration/readers/published-topics.ts';
import { type Configuration, readSettings } from '../../../platform/runtime/settings.ts';
import { faultOfMovesOut, MOVES_OUT_SETTINGS } from '../../mqtt-ingest/config.ts';

/** The prefixes to which this command's environment has moves published; null for none. */
export function publishedAt(environment: NodeJS.ProcessEnv): PublishedAt | null {
  return toPublishedAt(readSettings(MOVES_OUT_SETTINGS, environment, [faultOfMovesOut]));
}

export function toPublishedAt({
  MQTT_MOVES_PREFIX: prefix,
  MQTT_HOME_ASSISTANT_PREFIX: homeAssistant,
}: Configuration<typeof MOVES_OUT_SETTINGS>): PublishedAt | null {
  return prefix === null ? null : { prefix, homeAssistant };
}
