import { href } from '../../../router/router.ts';
import type { Finding, MendName } from './finding.ts';

type Target = (id: number) => string;

const reader: Target = (id) => href('readers', id);
const readerSettings: Target = (id) => href('readers', id, { edit: true });
const webhook: Target = (id) => href('settings', 'webhooks', { open: id });

const TARGETS: Readonly<Record<MendName, Target>> = {
  add_reader: () => href('readers', 'new'),
  set_format: (id) => href('readers', 'new', { reader: id, step: 'format' }),
  look_at_silent: () => href('readers', { state: 'silent' }),
  look_at_unheard: () => href('readers', { state: 'never' }),
  set_clock: reader,
  place_antennas: reader,
  change_topic: readerSettings,
  empty_inbox: () => href('inbox', 'rejected'),
  switch_webhook_on: webhook,
  replay_webhook: webhook,
  rotate_secret: webhook,
  look_at_attempts: webhook,
  set_password: readerSettings,
  set_mqtt_version: reader,
  separate_logins: () => href('readers', 'new'),
  replace_key: () => href('settings', 'keys'),
  replace_handheld: () => href('settings', 'handhelds'),
  enable_user: () => href('settings', 'users'),
  reset_user: () => href('settings', 'users'),
  look_at_rules: () => href('rules'),
};

/** Where to mend it in the console. */
export function mendLink({ what, id }: NonNullable<Finding['mend']>): string {
  return TARGETS[what](id ?? 0);
}
