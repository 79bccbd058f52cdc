import { useState } from 'preact/hooks';
import { patch } from '../../../api/send.ts';
import { useAction } from '../../../api/use-action.ts';
import { Field } from '../../../parts/field.tsx';
import { ProblemNote } from '../../../parts/problem-note.tsx';
import { faultOf } from '../../../parts/problem-text.ts';
import { SideSheet } from '../../../parts/side-sheet.tsx';
import { toast } from '../../../parts/toast.tsx';
import { texts } from '../../../texts/texts.ts';

export function RenameHandheld({
  handheld,
  onClose,
}: {
  handheld: { id: number; name: string };
  onClose: () => void;
}) {
  const t = texts.value.handhelds;
  const [name, setName] = useState(handheld.name);
  const { run, isBusy, problem } = useAction();
  const rename = async () => {
    if (await run(() => patch(`/handhelds/${handheld.id}`, { name }))) {
      toast(texts.value.common.saved);
      onClose();
    }
  };
  return (
    <SideSheet
      title={t.renameOf(handheld.name)}
      onClose={onClose}
      isForm
      foot={
        <button
          type="submit"
          form="rename-handheld"
          class="primary"
          disabled={isBusy || name === handheld.name}
        >
          {texts.value.common.save}
        </button>
      }
    >
      <form
        id="rename-handheld"
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void rename();
        }}
      >
        <Field
          label={t.name}
          name="name"
          required
          maxLength={255}
          value={name}
          fault={faultOf(problem, 'name')}
          onValue={setName}
        />
        {problem !== null && <ProblemNote problem={problem} shown={['name']} />}
      </form>
    </SideSheet>
  );
}
