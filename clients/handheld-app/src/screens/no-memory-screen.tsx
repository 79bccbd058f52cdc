import { Mark } from '../parts/mark.tsx';
import { useTheme } from '../parts/use-theme.ts';

/** Shown where the browser stores nothing for this page: no scan would be safe, so none is accepted. */
export function NoMemoryScreen({ reason }: { reason: string }) {
  useTheme('auto');
  return (
    <main class="sign-in">
      <div class="sign-in-head">
        <Mark />
        <h1>tagtrail</h1>
      </div>
      <div class="advice advice-strong" role="alert">
        <h2>This browser keeps nothing on the device</h2>
        <p>Scans would be lost, so none can be taken.</p>
      </div>
      <p>
        Allow this page to store data in the browser’s settings (“cookies and site data”), leave private
        browsing, and see that the device has room. If somebody else manages the device, show them this page.
      </p>
      <p class="hint mono">{reason}</p>
      <button type="button" class="primary" onClick={() => location.reload()}>
        Try again
      </button>
    </main>
  );
}
