import { Icon } from '../../../../ui/parts/icon.tsx';
import type { ImportFault, ImportOutcome } from '../../api/import.ts';
import { saveFile } from '../../parts/save-file.ts';
import { texts } from '../../texts/texts.ts';
import { faultsAsCsv } from './faults-csv.ts';
import { remedyOf } from './remedy-of.ts';

/** Every fault with its cell and what to do about it; as a file, to be mended beside the original. */
export function FaultTable({ outcome: { faults, faults_left_out: leftOut } }: { outcome: ImportOutcome }) {
  const t = texts.value.imports;
  return (
    <div class="table-box">
      <div class="table-tools">
        <button
          type="button"
          class="small secondary"
          onClick={() => saveFile('faults.csv', faultsAsCsv(faults))}
        >
          <Icon name="download" /> {t.saveFaults}
        </button>
      </div>
      <table class="table import-rows">
        <caption class="unseen">{t.parts.faulty}</caption>
        <thead>
          <tr>
            <th scope="col" class="number weight-3">
              {t.line}
            </th>
            <th scope="col">{t.column}</th>
            <th scope="col">{t.cell}</th>
            <th scope="col">{t.fault}</th>
          </tr>
        </thead>
        <tbody>
          {faults.map((fault, index) => (
            <FaultLine key={index} fault={fault} />
          ))}
        </tbody>
      </table>
      {leftOut > 0 && <p class="hint table-foot">{t.moreFaults(leftOut)}</p>}
    </div>
  );
}

function FaultLine({ fault }: { fault: ImportFault }) {
  const { line, column, value, message } = fault;
  const remedy = remedyOf(fault);
  return (
    <tr>
      <td class="number weight-3">{line}</td>
      <td class="mono">{column === 'file' ? '–' : column}</td>
      <td class="mono wrap">{value === null || value === '' ? <span class="none">–</span> : value}</td>
      <td>
        {message}
        {remedy !== null && <p class="hint">{remedy}</p>}
      </td>
    </tr>
  );
}
