import { signal } from '@preact/signals';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { texts } from '../texts/texts.ts';
import { useEscape } from './use-keys.ts';

interface Question {
  title: string;
  body: string;
  /** The verb on the button. */
  action: string;
  isDangerous?: boolean;
}

const asked = signal<{ question: Question; answer: (isSure: boolean) => void } | null>(null);

/** Asks for confirmation. Use it only where there is no undo. */
export function confirm(question: Question): Promise<boolean> {
  return new Promise((answer) => {
    asked.value?.answer(false);
    asked.value = { question, answer };
  });
}

export function ConfirmDialog() {
  return asked.value === null ? null : <Open key={asked.value.question.title} {...asked.value} />;
}

function Open({ question, answer }: { question: Question; answer: (isSure: boolean) => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useLayoutEffect(() => dialog.current?.showModal(), []);
  const end = (isSure: boolean) => {
    asked.value = null;
    answer(isSure);
  };
  useEscape(dialog, () => end(false));
  return (
    <dialog
      ref={dialog}
      class="confirm"
      role="alertdialog"
      aria-labelledby={id}
      aria-describedby={`${id}-body`}
      onClose={() => end(false)}
    >
      <h2 id={id}>{question.title}</h2>
      <p id={`${id}-body`}>{question.body}</p>
      <div class="buttons">
        <button type="button" class="secondary" onClick={() => end(false)}>
          {texts.value.common.cancel}
        </button>
        <button
          type="button"
          class={question.isDangerous === true ? 'danger' : 'primary'}
          onClick={() => end(true)}
        >
          {question.action}
        </button>
      </div>
    </dialog>
  );
}
