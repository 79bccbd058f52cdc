import { Mark } from '../../../ui/parts/mark.tsx';
import { useTheme } from '../../../ui/parts/use-theme.ts';
import { texts } from '../texts/texts.ts';
import { useLanguage } from './use-language.ts';

/** Shown where the browser stores nothing for this page: no scan would be safe, so none is accepted. */
export function NoMemoryScreen({ reason }: { reason: string }) {
  useTheme('auto');
  useLanguage('auto');
  const said = texts.value.noMemory;
  return (
    <main class="sign-in">
      <div class="sign-in-head">
        <Mark />
        <h1>tagtrail</h1>
      </div>
      <div class="advice advice-strong" role="alert">
        <h2>{said.title}</h2>
        <p>{said.lost}</p>
      </div>
      <p>{said.remedy}</p>
      <p class="hint mono">{reason}</p>
      <button type="button" class="primary" onClick={() => location.reload()}>
        {said.tryAgain}
      </button>
    </main>
  );
}
