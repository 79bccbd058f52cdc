import { useEffect, useState } from 'preact/hooks';
import { Icon } from '../../../ui/parts/icon.tsx';
import { Mark } from '../../../ui/parts/mark.tsx';
import { href } from '../router/router.ts';
import { texts } from '../texts/texts.ts';
import { FindBox } from './find-box.tsx';
import { HelpSheet } from './help-sheet.tsx';
import { LiveChip } from './live-chip.tsx';
import { onKey } from './shortcuts.ts';

export function TopBar() {
  const [isHelp, setHelp] = useState(false);
  useEffect(() => onKey('?', () => setHelp(true)), []);
  return (
    <header class="top">
      <a class="top-brand" href={href()} aria-label={texts.value.shell.home}>
        <Mark />
      </a>
      <FindBox />
      <LiveChip />
      <button
        type="button"
        class="quiet"
        aria-label={texts.value.shell.help}
        title={`${texts.value.shell.help}  ?`}
        onClick={() => setHelp(true)}
      >
        <Icon name="help" />
      </button>
      {isHelp && <HelpSheet onClose={() => setHelp(false)} />}
    </header>
  );
}
