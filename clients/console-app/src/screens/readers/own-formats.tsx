import { remove } from '../../api/send.ts';
import type { ListedFormat } from '../../api/types.ts';
import { useAction } from '../../api/use-action.ts';
import { useRead } from '../../api/use-read.ts';
import { confirm } from '../../parts/confirm.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { toast } from '../../parts/toast.tsx';
import { address, go, href, hrefWith, leaveFor } from '../../router/router.ts';
import { texts } from '../../texts/texts.ts';
import { FormatEditor } from './format-editor.tsx';

/** `#/readers/formats?edit=<name>`: the organization's own formats, to change or delete. */
export function OwnFormats() {
  const t = texts.value.readers;
  const { answer, problem, reload } = useRead<{ data: readonly ListedFormat[] }>('/formats');
  const own = answer?.data.filter(({ is_own }) => is_own);
  const edited = address.value.query.get('edit');
  const deleting = useAction();
  const drop = async (name: string) => {
    const question = { title: t.deleteFormatTitle(name), body: t.deleteFormatBody, action: t.deleteFormat };
    if (await confirm({ ...question, isDangerous: true })) {
      await deleting.run(async () => {
        await remove(`/formats/${encodeURIComponent(name)}`);
        toast(t.formatDeleted(name));
      });
    }
  };
  return (
    <div class="page">
      <PageHead title={t.formats} sub={t.formatsSub}>
        <a class="secondary" href={href('readers')}>
          {texts.value.screens.readers}
        </a>
      </PageHead>
      {problem !== null && <ProblemNote problem={problem} onRetry={reload} />}
      {deleting.problem !== null && <ProblemNote problem={deleting.problem} />}
      {edited !== null && (
        <FormatEditor
          key={edited}
          from={edited}
          isChanged
          sample={undefined}
          onClose={() => go(hrefWith({ edit: null }))}
          onSaved={(name) => {
            toast(t.formatSaved(name));
            leaveFor(hrefWith({ edit: null }));
          }}
        />
      )}
      {own?.length === 0 && <EmptyState icon="reader" title={t.noFormats} hint={t.noFormatsHint} />}
      {edited === null && own !== undefined && own.length > 0 && (
        <section class="card stack" aria-label={t.formats}>
          <ul class="lines">
            {own.map((format) => (
              <FormatLine
                key={format.name}
                format={format}
                isBusy={deleting.isBusy}
                onDelete={() => void drop(format.name)}
              />
            ))}
          </ul>
        </section>
      )}
    </div>
  );
}

function FormatLine({
  format: { name, description, readers, fault },
  isBusy,
  onDelete,
}: {
  format: ListedFormat;
  isBusy: boolean;
  onDelete: () => void;
}) {
  const t = texts.value.readers;
  return (
    <li>
      <div>
        <strong class="mono">{name}</strong>
        {description !== '' && <p class="hint">{description}</p>}
        <p class="hint">{t.formatOf(readers)}</p>
        {fault !== null && <p class="fault">{fault}</p>}
      </div>
      <div class="buttons">
        <a class="small secondary" href={hrefWith({ edit: name })} aria-label={t.changeFormat(name)}>
          {t.change}
        </a>
        <button
          type="button"
          class="small danger"
          // The server refuses it: their messages could not be read any more.
          disabled={isBusy || readers > 0}
          aria-label={t.deleteNamed(name)}
          onClick={onDelete}
        >
          {t.deleteFormat}
        </button>
      </div>
    </li>
  );
}
