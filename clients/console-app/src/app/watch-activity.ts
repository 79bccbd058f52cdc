import { noteActivity } from '../api/activity.ts';

/** Notes whenever somebody does something here: an open page that follows moves must not keep its session alive. */
export function watchActivity(): void {
  for (const event of ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchstart']) {
    window.addEventListener(event, () => noteActivity(Date.now()), { capture: true, passive: true });
  }
}
