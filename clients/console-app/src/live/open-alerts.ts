import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { AlertEvent } from '../api/types.ts';
import { useRead, useRepeat } from '../api/use-read.ts';
import { alertSubject, alertWords } from '../parts/alert-words.tsx';
import { href } from '../router/router.ts';
import { membership } from '../session/session.ts';
import { texts } from '../texts/texts.ts';
import { onAlerts } from './live.ts';
import { useReloadOnAlerts } from './use-reload-on-alerts.ts';

/** How many alerts nobody has acknowledged; 0 until that is known. */
export const openAlerts = signal(0);

/** Milliseconds. */
const EVERY_MS = 60_000;

/** Keeps {@link openAlerts} up to date, and notifies of each that is opened, if that is wanted. */
export function useOpenAlerts(): void {
  const { answer, reload } = useRead<{ total_count: number }>(membership.value === null ? null : '/alerts', {
    ...{ state: 'open', limit: 1 },
  });
  useEffect(() => {
    openAlerts.value = answer?.total_count ?? 0;
  }, [answer]);
  useReloadOnAlerts(reload);
  useRepeat(reload, EVERY_MS);
  useEffect(() => onAlerts(notifyOf), []);
}

/** Alerts that each have a notification; of more that are opened together, one says how many. */
const MOST_EACH = 3;
const TOGETHER_MS = 500;

let opened: AlertEvent['data']['alert'][] = [];

function notifyOf({ type, data: { alert } }: AlertEvent): void {
  if (type === 'tagtrail.alert.opened.v1' && notifies.value && !document.hasFocus()) {
    opened.push(alert);
    if (opened.length === 1) {
      setTimeout(notify, TOGETHER_MS);
    }
  }
}

function notify(): void {
  if (opened.length > MOST_EACH) {
    show(texts.value.alerts.openOnes(opened.length), { tag: 'alerts' }, href('alerts'));
  } else {
    for (const alert of opened) {
      const title = `${alertSubject(alert, new Map())} ${alertWords(alert)}`;
      show(title, { body: alert.rule.name, tag: alert.id }, href('alerts', { open: alert.id }));
    }
  }
  opened = [];
}

function show(title: string, options: NotificationOptions, to: string): void {
  new Notification(title, options).onclick = () => {
    window.focus();
    location.hash = to;
  };
}

const KEPT = 'tagtrail.notifies';

/** Phones show notifications of installed apps only, and browsers none over plain HTTP. */
export const canNotify =
  window.isSecureContext && 'Notification' in window && !/Android/.test(navigator.userAgent);

/** Whether this device shows alerts that come while somebody looks elsewhere. */
export const notifies = signal(
  canNotify && Notification.permission === 'granted' && localStorage.getItem(KEPT) === 'true',
);

/** Asks the browser's user, if need be. */
export async function chooseToNotify(isWanted: boolean): Promise<void> {
  notifies.value = isWanted && (await Notification.requestPermission()) === 'granted';
  localStorage.setItem(KEPT, String(notifies.value));
}
