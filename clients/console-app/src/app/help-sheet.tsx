import { SideSheet } from '../parts/side-sheet.tsx';
import { texts } from '../texts/texts.ts';

export function HelpSheet({ onClose }: { onClose: () => void }) {
  const t = texts.value.help;
  return (
    <SideSheet title={t.title} onClose={onClose}>
      <div class="stack">
        <h3>{t.keys}</h3>
        <dl class="keys">
          {t.keyList.map(([key, meaning]) => (
            <div key={key}>
              <dt>
                <kbd>{key}</kbd>
              </dt>
              <dd>{meaning}</dd>
            </div>
          ))}
        </dl>
        <h3>{t.words}</h3>
        <dl class="words">
          {t.wordList.map(([word, meaning]) => (
            <div key={word}>
              <dt>{word}</dt>
              <dd>{meaning}</dd>
            </div>
          ))}
        </dl>
      </div>
    </SideSheet>
  );
}
