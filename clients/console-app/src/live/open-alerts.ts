import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { useRead } from '../api/use-read.ts';
import { useRepeat } from '../api/use-repeat.ts';
import { alertSubject, alertWords } from '../parts/alert-words.tsx';
import { href } from '../router/router.ts';
import { membership } from '../session/session.ts';
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
  useEffect(
    () =>
      onAlerts(({ type, data: { alert } }) => {
        if (type === 'tagtrail.alert.opened.v1' && notifies.value && !document.hasFocus()) {
          const title = `${alertSubject(alert, new Map())} ${alertWords(alert)}`;
          const shown = new Notification(title, { body: alert.rule.name, tag: alert.id });
          shown.onclick = () => {
            window.focus();
            location.hash = href('alerts', { open: alert.id });
          };
        }
      }),
    [],
  );
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
