import { useState } from 'preact/hooks';
import type { ApiError } from '../../api/api-error.ts';
import { post } from '../../api/send.ts';
import type { Data, Row } from '../../api/types.ts';
import { useAction } from '../../api/use-action.ts';
import { useRead } from '../../api/use-read.ts';
import { noteWrite } from '../../api/writes.ts';
import { Field, Select } from '../../parts/field.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { faultOf } from '../../parts/problem-text.ts';
import { saveBlob } from '../../parts/save-file.ts';
import { toast } from '../../parts/toast.tsx';
import { useLeaveGuard } from '../../parts/use-leave-guard.ts';
import { may } from '../../session/session.ts';
import { texts } from '../../texts/texts.ts';

type Range = Row<'GET /serial-ranges'>;
type Ai = Range['ai'];

const AIS = ['01', '00', '8003', '8004'] as const satisfies readonly Ai[];
const RESOLUTIONS = [203, 300, 600] as const;
/** Labels of one file, as the API takes them. */
const MOST = 500;
const SIDES = ['width_mm', 'height_mm'] as const;
const CODES = ['both', 'gs1', 'link'] as const;
const LOCKS = ['open', 'by_password', 'forever'] as const;

/** How the labels are printed, as it is sent. */
interface Options {
  range: string;
  printer: string;
  dpi: string;
  width_mm: string;
  height_mm: string;
  codes: (typeof CODES)[number];
  lock: (typeof LOCKS)[number];
  password: string;
}

/** Labels for printers that write their RFID tags: the file to send to one. `keys` are those of the chosen assets. */
export function RfidLabels({ keys }: { keys: readonly string[] }) {
  const t = texts.value.labels.rfid;
  const { answer, reload } = useRead<{ data: readonly Range[] }>('/serial-ranges');
  const ranges = answer?.data ?? [];
  const printers = useRead<{ data: Printers }>(may('operator') ? '/printers' : null).answer?.data ?? [];
  const [options, setOptions] = useState<Options>({
    ...{ range: '', printer: '', dpi: '203', width_mm: '100', height_mm: '50', codes: 'both' },
    ...{ lock: 'open', password: '' },
  });
  const { run, isBusy, problem } = useAction();
  const range = ranges.find((each) => nameOf(each) === options.range) ?? ranges[0];
  if (!may('operator') || answer === undefined || (range === undefined && !may('admin'))) {
    return null;
  }
  const printer = printers.find(({ name }) => name === options.printer)?.name;
  const print = () =>
    run(async () => {
      const { dpi, width_mm: width, height_mm: height, codes, lock, password } = options;
      const { data } = await post<{ data: Data<'POST /labels'> }>('/labels', {
        ...{ ai: range?.ai, base: range?.base, external_keys: keys, dpi: Number(dpi) },
        ...{ width_mm: Number(width), height_mm: Number(height), codes },
        ...(printer === undefined ? {} : { printer }),
        ...(lock === 'open' ? {} : { lock }),
        ...(lock === 'by_password' ? { access_password: password } : {}),
      });
      if (data.zpl === null) {
        toast(t.printed(keys.length, printer ?? ''));
      } else {
        saveBlob('labels.zpl', new Blob([data.zpl], { type: 'text/plain' }));
      }
      noteWrite('/assets');
      reload();
    });
  return (
    <details class="card">
      <summary>{t.title}</summary>
      <div class="stack">
        <p class="hint">{t.hint}</p>
        {range !== undefined && (
          <div class="label-options">
            <OptionFields {...{ ranges, range, options, problem }} onOptions={setOptions} />
            <PrinterChoice {...{ printers, options }} onOptions={setOptions} />
            <button
              type="button"
              class="primary"
              disabled={isBusy || keys.length > MOST}
              onClick={() => void print()}
            >
              {printer === undefined ? t.download(keys.length) : t.print(keys.length, printer)}
            </button>
          </div>
        )}
        {keys.length > MOST && <p class="hint">{t.tooMany(MOST)}</p>}
        {problem !== null && <ProblemNote problem={problem} shown={['access_password', ...SIDES]} />}
        {may('admin') && <NewRange onAdded={reload} />}
      </div>
    </details>
  );
}

type Printers = readonly Row<'GET /printers'>[];

function PrinterChoice({
  printers,
  options,
  onOptions,
}: {
  printers: Printers;
  options: Options;
  onOptions: (options: Options) => void;
}) {
  const t = texts.value.labels.rfid;
  return printers.length === 0 ? null : (
    <Select
      label={t.printer}
      value={options.printer}
      options={[{ value: '', word: t.file }, ...printers.map(({ name }) => ({ value: name, word: name }))]}
      onValue={(printer) => onOptions({ ...options, printer })}
    />
  );
}

function OptionFields({
  ranges,
  range,
  options,
  problem,
  onOptions,
}: {
  ranges: readonly Range[];
  range: Range;
  options: Options;
  problem: ApiError | null;
  onOptions: (options: Options) => void;
}) {
  const t = texts.value.labels.rfid;
  const set = (changed: Partial<Options>) => onOptions({ ...options, ...changed });
  return (
    <>
      <Select
        label={t.range}
        value={nameOf(range)}
        options={ranges.map((each) => ({
          value: nameOf(each),
          word: t.rangeOf(nameOf(each), each.next_serial, each.last_serial),
        }))}
        onValue={(value) => set({ range: value })}
      />
      <LookFields {...{ options, problem, set }} />
      <Select
        label={t.lock}
        value={options.lock}
        options={LOCKS.map((value) => ({ value, word: t.locks[value] }))}
        onValue={(lock) => set({ lock })}
      />
      {options.lock === 'by_password' && (
        <Field
          label={t.password}
          hint={t.passwordHint}
          class="mono"
          autocomplete="off"
          value={options.password}
          fault={faultOf(problem, 'access_password')}
          onValue={(password) => set({ password })}
        />
      )}
    </>
  );
}

/** How a label looks on its printer. */
function LookFields({
  options,
  problem,
  set,
}: {
  options: Options;
  problem: ApiError | null;
  set: (changed: Partial<Options>) => void;
}) {
  const t = texts.value.labels.rfid;
  return (
    <>
      <Select
        label={t.dpi}
        value={options.dpi}
        options={RESOLUTIONS.map((each) => ({ value: String(each), word: `${each} dpi` }))}
        onValue={(dpi) => set({ dpi })}
      />
      {SIDES.map((side) => (
        <Field
          key={side}
          label={t.sides[side]}
          type="number"
          value={options[side]}
          fault={faultOf(problem, side)}
          onValue={(value) => set({ [side]: value })}
        />
      ))}
      <Select
        label={texts.value.labels.codes}
        value={options.codes}
        options={CODES.map((value) => ({ value, word: t.codes[value] }))}
        onValue={(codes) => set({ codes })}
      />
    </>
  );
}

function nameOf({ ai, base }: Range): string {
  return `(${ai})${base}`;
}

const NUMBERS = ['base', 'prefix_length', 'filter', 'next_serial', 'last_serial'] as const;

/** A key has one range, so that no number is given twice. */
function NewRange({ onAdded }: { onAdded: () => void }) {
  const t = texts.value.labels.rfid;
  const [ai, setAi] = useState<Ai>('01');
  const [values, setValues] = useState({
    base: '',
    prefix_length: '7',
    filter: '0',
    next_serial: '1',
    last_serial: '',
  });
  useLeaveGuard(values.base !== '', ({ path }) => path[0] === 'labels');
  const { run, isBusy, problem } = useAction();
  const field = (name: (typeof NUMBERS)[number]) => (
    <Field
      key={name}
      label={t.fields[name]}
      required
      value={values[name]}
      fault={faultOf(problem, name)}
      onValue={(value) => setValues({ ...values, [name]: value.trim() })}
    />
  );
  const add = async () => {
    const { base, ...numbers } = values;
    const given = Object.entries(numbers).map(([name, value]) => [name, Number(value)]);
    if (await run(() => post('/serial-ranges', { ai, base, ...Object.fromEntries(given) }))) {
      setValues({ ...values, base: '' });
      onAdded();
    }
  };
  return (
    <form
      class="label-options"
      aria-label={t.newRange}
      onSubmit={(event) => {
        event.preventDefault();
        void add();
      }}
    >
      <Select
        label={t.kind}
        value={ai}
        options={AIS.map((value) => ({ value, word: t.kinds[value] }))}
        onValue={setAi}
      />
      {NUMBERS.map(field)}
      <button type="submit" class="secondary" disabled={isBusy}>
        {t.newRange}
      </button>
      {problem !== null && <ProblemNote problem={problem} shown={Object.keys(values)} />}
    </form>
  );
}
