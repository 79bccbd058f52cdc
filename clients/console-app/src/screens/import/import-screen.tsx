import { useEffect, useState } from 'preact/hooks';
import { Choice } from '../../../../ui/parts/choice.tsx';
import { Icon } from '../../../../ui/parts/icon.tsx';
import { CSV_COLUMNS } from '../../api/answers.ts';
import { ApiError } from '../../api/api-error.ts';
import { post, remove } from '../../api/send.ts';
import type { Import, ImportKind, ImportOutcome, WholeImport } from '../../api/types.ts';
import { useAction } from '../../api/use-action.ts';
import { useRead } from '../../api/use-read.ts';
import { noteWrite } from '../../api/writes.ts';
import { Badge, type Tone } from '../../parts/badge.tsx';
import { Instant } from '../../parts/instant.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { Progress } from '../../parts/progress.tsx';
import { saveCsv } from '../../parts/save-file.ts';
import { address, go, href, hrefWith, replaceAddress } from '../../router/router.ts';
import { texts } from '../../texts/texts.ts';
import { type FileHead, isOurs, MapColumns, readHead, renamed } from './map-columns.tsx';
import { FaultTable, RowTable } from './preview-tables.tsx';

/** `#/import?of=location` chooses a file; `#/import/12` shows its changes and applies it. */
export function ImportScreen({ rest: [id] }: { rest: readonly string[] }) {
  return id === undefined ? <ChooseFile /> : <OneImport id={id} />;
}

/** Bytes of the largest file (10 MiB), which the server holds us to. */
const MOST = 10_485_760;

function ChooseFile() {
  const t = texts.value.imports;
  const of = address.value.query.get('of') === 'location' ? 'location' : 'asset';
  const { run, isBusy, problem } = useAction();
  const [isOver, setOver] = useState(false);
  const [mapped, setMapped] = useState<{ file: File; head: FileHead } | null>(null);
  const send = async (name: string, csv: Blob) => {
    const query = { resource: of, file_name: name.slice(0, 255) };
    const { data } = await post<{ data: WholeImport }>(`/imports?${new URLSearchParams(query)}`, csv);
    go(href('import', data.id));
  };
  const take = (file: File | undefined) => {
    if (file !== undefined) {
      void run(async () => {
        if (file.size > MOST) {
          throw new ApiError(413, 'payload_too_large', t.tooLarge);
        }
        const head = await readHead(file);
        if (head !== null && !isOurs(head, of)) {
          setMapped({ file, head });
        } else {
          await send(file.name, new Blob([file], { type: 'text/csv' }));
        }
      });
    }
  };
  return (
    <div class="page">
      <PageHead title={t.title} sub={t.lead} />
      {mapped !== null && (
        <MapColumns
          key={of}
          {...{ of, isBusy }}
          head={mapped.head}
          onMapped={(names) =>
            void run(() => send(mapped.file.name, renamed(mapped.file, mapped.head, names)))
          }
          onCancel={() => setMapped(null)}
        />
      )}
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
          accept=".csv,text/csv,.txt,.tsv,.xlsx,.xls,.ods"
          disabled={isBusy}
          onChange={(event) => {
            take(event.currentTarget.files?.[0]);
            event.currentTarget.value = '';
          }}
        />
      </label>
      {isBusy && <Progress label={t.sending} />}
      {problem !== null && <ProblemNote problem={problem} />}
      <Columns of={of} />
      <LatestImports />
    </div>
  );
}

function Columns({ of }: { of: keyof typeof CSV_COLUMNS }) {
  const t = texts.value.imports;
  return (
    <section class="card stack">
      <h2>{t.columns}</h2>
      <p class="mono wrap">{CSV_COLUMNS[of].join(', ')}</p>
      <p class="hint">{t.columnsHint}</p>
      <div class="buttons">
        <button
          type="button"
          class="small secondary"
          onClick={() => saveCsv(t.templateName[of], [CSV_COLUMNS[of]])}
        >
          <Icon name="download" /> {t.template}
        </button>
      </div>
    </section>
  );
}

const TONES: Record<Import['state'], Tone> = {
  uploaded: 'queued',
  checking: 'place',
  checked: 'moved',
  applying: 'place',
  applied: 'seen',
};

/** Links to the latest imports. */
function LatestImports() {
  const t = texts.value.imports;
  const { answer } = useRead<{ data: readonly Import[] }>('/imports');
  const imports = answer?.data ?? [];
  if (imports.length === 0) {
    return null;
  }
  return (
    <section class="stack">
      <h2>{t.latest}</h2>
      <ul class="latest-imports">
        {imports.map(({ id, file_name, state, resource, created_at }) => (
          <li key={id}>
            <a href={href('import', id)}>{file_name}</a>
            <span class="hint">{texts.value.screens[resource === 'asset' ? 'assets' : 'places']}</span>
            <Badge tone={TONES[state]}>{t.states[state]}</Badge>
            <Instant at={created_at} />
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Milliseconds between looks at how far it is. */
const AGAIN = 1_000;

function OneImport({ id }: { id: string }) {
  const t = texts.value.imports;
  const path = `/imports/${id}`;
  const { answer, problem: missing, reload } = useRead<{ data: WholeImport }>(path);
  const kept = answer?.data;
  const { run, isBusy, problem } = useAction();
  const isWorkedOn = kept?.state === 'checking' || kept?.state === 'applying';
  const isWaiting = isBusy || isWorkedOn;
  useEffect(() => {
    const timer = isWaiting ? setTimeout(reload, AGAIN) : undefined;
    return () => clearTimeout(timer);
  }, [answer, missing, isWaiting]);
  const check = () => void run(() => post(`${path}/check`)).then(reload);
  useEffect(() => {
    if (kept?.state === 'uploaded' && problem === null) {
      check();
    }
  }, [kept?.state]);
  const apply = async () => {
    if (await run(() => post(`${path}/apply`))) {
      noteWrite(kept?.resource === 'location' ? '/locations' : '/assets');
    }
    // It may have been refused, with what it would change now.
    reload();
  };
  const discard = async () => {
    if (await run(() => remove(path))) {
      go(href('import', { of: kept?.resource }));
    }
  };
  if (kept === undefined) {
    return (
      <div class="page">
        <PageHead title={t.title} />
        {missing === null ? (
          <p class="loading">{texts.value.shell.loading}</p>
        ) : (
          <ProblemNote problem={missing} onRetry={reload} />
        )}
      </div>
    );
  }
  const { outcome, state, rows, done_rows } = kept;
  const canApply = state === 'checked' && outcome !== null && outcome.counts.faulty === 0;
  const changes = (outcome?.counts.created ?? 0) + (outcome?.counts.updated ?? 0);
  return (
    <div class="page">
      <PageHead title={kept.file_name} sub={t.subOf[kept.resource]}>
        {!isWaiting && state !== 'applied' && (
          <button type="button" class="secondary" onClick={() => void discard()}>
            {t.discard}
          </button>
        )}
        {!isWaiting && (outcome?.counts.faulty ?? 0) > 0 && (
          <a class="primary" href={href('import', kept.resource === 'location' ? { of: 'location' } : {})}>
            {t.chooseMended}
          </a>
        )}
        {canApply && changes > 0 && (
          <button type="button" class="primary" disabled={isBusy} onClick={() => void apply()}>
            {t.apply(changes)}
          </button>
        )}
      </PageHead>
      {isWaiting && (
        <section class="card stack" aria-live="polite">
          <Progress
            label={state === 'applying' ? t.applying(done_rows) : t.checking(done_rows)}
            {...(rows === null ? {} : { done: done_rows, of: rows })}
          />
          <p class="hint">{t.canBeLeft}</p>
        </section>
      )}
      {problem !== null && <ProblemNote problem={problem} onRetry={state === 'uploaded' ? check : reload} />}
      {state === 'applied' && outcome !== null && <Applied kept={kept} counts={outcome.counts} />}
      {outcome !== null && !isWaiting && <Outcome outcome={outcome} isApplied={state === 'applied'} />}
    </div>
  );
}

/** Success, with a link to the imported rows. */
function Applied({ kept, counts }: { kept: WholeImport; counts: ImportOutcome['counts'] }) {
  const t = texts.value.imports;
  const list =
    kept.resource === 'asset'
      ? href('assets', { sort: '-updated_at' })
      : href('places', { sort: '-created_at' });
  return (
    <div class="note note-seen" role="status">
      <Icon name="check" />
      <p>{t.done(counts.created, counts.updated)}</p>
      <a class="small secondary" href={list}>
        {t.showThem}
      </a>
    </div>
  );
}

type Part = ImportKind | 'faulty';

const PARTS: readonly Part[] = ['faulty', 'created', 'updated', 'unchanged'];

/** `?show=updated`: how many rows are new, changed, unchanged and faulty, and the first of those chosen. */
function Outcome({ outcome, isApplied }: { outcome: ImportOutcome; isApplied: boolean }) {
  const t = texts.value.imports;
  const { counts, shown } = outcome;
  const there = PARTS.filter((part) => counts[part] > 0);
  const asked = address.value.query.get('show');
  const current = there.find((part) => part === asked) ?? there[0];
  if (current === undefined) {
    return <p class="hint">{t.noRows}</p>;
  }
  return (
    <>
      {counts.faulty > 0 && (
        <div class="note note-refused" role="alert">
          <Icon name="alert" />
          <p>{t.isFaulty(counts.faulty)}</p>
        </div>
      )}
      {!isApplied && counts.faulty === 0 && counts.created + counts.updated === 0 && (
        <div class="note note-seen" role="status">
          <Icon name="check" />
          <p>{t.nothingChanges}</p>
        </div>
      )}
      <nav class="import-counts" aria-label={t.counts}>
        {PARTS.map((part) => (
          <a
            key={part}
            class={`import-count import-${part}`}
            aria-current={part === current ? 'true' : undefined}
            {...(counts[part] === 0 ? { 'aria-disabled': 'true' } : { href: hrefWith({ show: part }) })}
          >
            <strong>{counts[part].toLocaleString()}</strong>
            <span>{t.parts[part]}</span>
          </a>
        ))}
      </nav>
      {(outcome.respelled ?? []).map(({ line, tag, as }) => (
        <p class="hint" key={`${line} ${tag}`}>
          {t.respelled(line, tag, as)}
        </p>
      ))}
      {current === 'faulty' ? (
        <FaultTable outcome={outcome} />
      ) : (
        <RowTable title={t.parts[current]} rows={shown[current]} count={counts[current]} />
      )}
    </>
  );
}
