import { Icon } from '../../../ui/parts/icon.tsx';
import type { FindAnswer } from './find-answers.ts';

/** What the find box offers; the focus stays in the box. */
export function FindList({
  isOpen,
  label,
  answers,
  at,
  onOpen,
}: {
  isOpen: boolean;
  label: string;
  answers: readonly FindAnswer[];
  at: number | null;
  onOpen: (to: string) => void;
}) {
  return (
    <div id="find-list" class="find-list choices" role="listbox" aria-label={label} hidden={!isOpen}>
      {answers.map(({ key, icon, title, sub, to }, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: keys are the input's
        <div
          key={key}
          id={`find-${index}`}
          role="option"
          tabIndex={-1}
          aria-selected={index === at}
          // Before the input loses the focus.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onOpen(to)}
        >
          <Icon name={icon} />
          <span class="title">{title}</span>
          <span class="faint">{sub}</span>
        </div>
      ))}
    </div>
  );
}
