import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import type { Action } from '../api/use-action.ts';
import { ProblemNote } from './problem-note.tsx';

/** A form on a card: heading, fields, refusal and button. */
export function CardForm({
  title,
  hint,
  submit,
  action: { run, isBusy, problem },
  shown,
  isReady = true,
  onSubmit,
  children,
}: {
  title: string;
  hint?: string;
  /** The verb on the button. */
  submit: string;
  action: Action;
  /** Names of the fields that show their own faults. */
  shown: readonly string[];
  isReady?: boolean;
  onSubmit: () => Promise<unknown>;
  children: ComponentChildren;
}) {
  const id = useId();
  return (
    <form
      class="card stack"
      aria-labelledby={id}
      onSubmit={(event) => {
        event.preventDefault();
        void run(onSubmit);
      }}
    >
      <h2 id={id}>{title}</h2>
      {hint !== undefined && <p class="hint">{hint}</p>}
      {children}
      {problem !== null && <ProblemNote problem={problem} shown={shown} />}
      <div class="buttons">
        <button type="submit" class="primary" disabled={isBusy || !isReady}>
          {submit}
        </button>
      </div>
    </form>
  );
}
