import { useState } from 'preact/hooks';
import { Choice } from '../../../../ui/parts/choice.tsx';
import { Icon } from '../../../../ui/parts/icon.tsx';
import { ApiError } from '../../api/api-error.ts';
import type { WholeImport } from '../../api/import.ts';
import { post } from '../../api/send.ts';
import { useAction } from '../../api/use-action.ts';
import { PageHead } from '../../parts/page-head.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { Progress } from '../../parts/progress.tsx';
import { address, go, href, hrefWith, replaceAddress } from '../../router/router.ts';
import { texts } from '../../texts/texts.ts';
import { LatestImports } from './latest-imports.tsx';

/** Bytes of the largest file (10 MiB), which the server holds us to. */
const MOST = 10_485_760;

export function ChooseFile() {
  const t = texts.value.imports;
  const of = address.value.query.get('of') === 'location' ? 'location' : 'asset';
  const { run, isBusy, problem } = useAction();
  const [isOver, setOver] = useState(false);
  const take = (file: File | undefined) => {
    if (file !== undefined) {
      void run(async () => {
        if (file.size > MOST) {
          throw new ApiError(413, 'payload_too_large', t.tooLarge);
        }
        const query = { resource: of, file_name: file.name.slice(0, 255) };
        const csv = new Blob([file], { type: 'text/csv' });
        const { data } = await post<{ data: WholeImport }>(`/imports?${new URLSearchParams(query)}`, csv);
        go(href('import', data.id));
      });
    }
  };
  return (
    <div class="page">
      <PageHead title={t.title} sub={t.lead} />
      <Choice
        label={t.of}
        value={of}
        options={[
          { value: 'asset', word: texts.value.screens.assets },
          { value: 'location', word: texts.value.screens.places },
        ]}
        onChoose={(value) => replaceAddress(hrefWith({ of: value === 'asset' ? null : value }))}
      />
      <label
        class={isOver ? 'drop drop-over' : 'drop'}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault();
          setOver(false);
          take(event.dataTransfer?.files[0]);
        }}
      >
        <Icon name="upload" />
        <strong>{t.choose}</strong>
        <span class="hint">{t.bounds}</span>
        <input
          type="file"
          class="unseen"
          accept=".csv,text/csv"
          disabled={isBusy}
          onChange={(event) => {
            take(event.currentTarget.files?.[0]);
            event.currentTarget.value = '';
          }}
        />
      </label>
      {isBusy && <Progress label={t.sending} />}
      {problem !== null && <ProblemNote problem={problem} />}
      <section class="card stack">
        <h2>{t.columns}</h2>
        <p class="mono wrap">{t.columnsOf[of]}</p>
        <p class="hint">{t.columnsHint}</p>
      </section>
      <LatestImports />
    </div>
  );
}
