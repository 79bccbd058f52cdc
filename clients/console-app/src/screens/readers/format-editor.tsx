import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { patch, post } from '../../api/send.ts';
import type { ArrivedMessage, Data } from '../../api/types.ts';
import { useAction } from '../../api/use-action.ts';
import { useRead } from '../../api/use-read.ts';
import { TextArea } from '../../parts/field.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { faultOf } from '../../parts/problem-text.ts';
import { ServerText } from '../../parts/server-text.tsx';
import { useLeaveGuard } from '../../parts/use-leave-guard.ts';
import { texts } from '../../texts/texts.ts';

/** Milliseconds after the last key. */
const PAUSE_MS = 300;

/**
 * An editor of a format, beside its reads of the last message. Begins as a copy of another format, or changes an own
 * one (`isChanged`).
 */
export function FormatEditor({
  from,
  isChanged = false,
  sample,
  onClose,
  onSaved,
}: {
  from: string;
  isChanged?: boolean;
  sample: ArrivedMessage | undefined;
  onClose: () => void;
  onSaved: (name: string) => void;
}) {
  const t = texts.value.readers;
  const copied = useRead<{ data: { name: string; source: string } }>(`/formats/${encodeURIComponent(from)}`);
  const [source, setSource] = useState<string | null>(null);
  const [payload, setPayload] = useState(sample?.is_text === true ? sample.payload : '');
  const [tried, setTried] = useState<Tried | undefined>();
  const saving = useAction();
  const original = copied.answer?.data;
  const began = original && (isChanged ? original.source : asCopy(original));
  const opened = useRef(location.hash);
  useLeaveGuard(source !== null && source !== began, () => location.hash === opened.current);
  useLayoutEffect(() => {
    if (began !== undefined && source === null) {
      setSource(began);
    }
  }, [began]);
  useEffect(() => {
    if (source === null || source === '' || payload === '') {
      return undefined;
    }
    let isStale = false;
    const timer = setTimeout(() => {
      const topic = sample?.topic ?? 'topic';
      post<{ data: Tried }>('/formats/try', { source, topic, payload })
        .then(({ data }) => isStale || setTried(data))
        .catch(() => {});
    }, PAUSE_MS);
    return () => {
      isStale = true;
      clearTimeout(timer);
    };
  }, [source, payload]);
  const save = async () => {
    const { data } = isChanged
      ? await patch<{ data: { name: string } }>(`/formats/${encodeURIComponent(from)}`, { source })
      : await post<{ data: { name: string } }>('/formats', { source });
    onSaved(data.name);
  };
  return (
    <section class="format-editor" aria-label={t.writeFormat}>
      <form
        class="card stack"
        onSubmit={(event) => {
          event.preventDefault();
          void saving.run(save);
        }}
      >
        <p class="hint">{isChanged ? t.changeHint(from) : t.writeHint(from)}</p>
        <TextArea
          label={t.definition}
          class="mono"
          rows={24}
          spellcheck={false}
          value={source ?? ''}
          fault={faultOf(saving.problem, 'source')}
          onValue={setSource}
        />
        {saving.problem !== null && <ProblemNote problem={saving.problem} shown={['source']} />}
        <div class="buttons">
          <button
            type="submit"
            class="primary"
            disabled={saving.isBusy || (tried !== undefined && tried.faults.length > 0)}
          >
            {isChanged ? texts.value.common.save : t.saveFormat}
          </button>
          <button type="button" class="secondary" onClick={onClose}>
            {texts.value.common.cancel}
          </button>
        </div>
      </form>
      <div class="card stack">
        <TextArea
          label={t.message}
          class="mono"
          rows={8}
          spellcheck={false}
          value={payload}
          onValue={setPayload}
        />
        <FormatPreview tried={payload === '' ? undefined : tried} />
      </div>
    </section>
  );
}

function asCopy({ name, source }: { name: string; source: string }): string {
  return source.replace(/("name":\s*)"[^"]*"/, `$1"my-${name}"`);
}

type Tried = Data<'POST /formats/try'>;

/** The most reads to show. */
const SHOWN = 20;

/** The format's result for the message, or its fault and where it is. */
function FormatPreview({ tried }: { tried: Tried | undefined }) {
  const t = texts.value.readers;
  if (tried === undefined) {
    return <p class="hint">{t.previewHint}</p>;
  }
  const { faults, run } = tried;
  return (
    <div class="preview" role="status">
      {faults.map(({ pointer, message, line }) => (
        <p class="note note-refused" key={`${pointer} ${message}`}>
          <span>
            {line !== null && <strong>{t.line(line)} </strong>}
            {pointer !== '' && <span class="mono">{pointer} </span>}
            {message}
          </span>
        </p>
      ))}
      {run !== null && (
        <>
          <p>{t.wouldRead(run.scans.length, run.rejected.length, run.ignored.length)}</p>
          <ul class="lines">
            {run.scans.slice(0, SHOWN).map((scan, index) => (
              <li key={index}>
                <span class="mono">{scan.value}</span>
                <span class="hint">
                  {t.antenna(scan.antenna)}
                  {scan.rssi !== null && ` · ${t.dbm(scan.rssi)}`}
                  {scan.rssi_unusable !== null && ` · ${t.noRssiIn(String(scan.rssi_unusable))}`} ·{' '}
                  {scan.observed_at ?? t.atReceipt}
                  {(scan.time_unreadable ?? scan.clock_unset) !== null &&
                    ` · ${t.noTimeIn(String(scan.time_unreadable ?? scan.clock_unset))}`}
                  {Object.entries(scan.readings ?? {}).map(([kind, value]) => ` · ${kind} ${value}`)}
                  {Object.entries(scan.readings_unusable ?? {}).map(
                    ([kind, value]) => ` · ${t.noReading(kind, String(value))}`,
                  )}
                </span>
              </li>
            ))}
          </ul>
          {[...run.rejected, ...run.ignored].slice(0, SHOWN).map(({ reason }, index) => (
            <p class="hint" key={index}>
              <ServerText text={reason} />
            </p>
          ))}
        </>
      )}
    </div>
  );
}
