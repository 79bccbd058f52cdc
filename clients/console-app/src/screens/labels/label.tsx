import type { CodePath } from './code-paths.ts';
import type { LabelItem } from './label-item.ts';
import { type Codes, layOut } from './label-layout.ts';
import type { LabelSize } from './sizes.ts';

export function Label({ item, size, codes }: { item: LabelItem; size: LabelSize; codes: Codes }) {
  const { qr, barcode } = layOut(item.value, size, codes);
  return (
    <div class="label">
      <div class="label-head">
        {qr !== null && <Code code={qr} kind="qr" />}
        <div class="label-words">
          <strong>{item.name}</strong>
          <span>{item.external_key}</span>
          {item.value !== item.external_key && <small>{item.value}</small>}
        </div>
      </div>
      {barcode !== null && <Code code={barcode} kind="barcode" />}
    </div>
  );
}

function Code({ code: { width, height, path }, kind }: { code: CodePath; kind: 'qr' | 'barcode' }) {
  return (
    <svg
      class={`label-${kind}`}
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio={kind === 'qr' ? 'xMidYMid' : 'none'}
      shape-rendering="crispEdges"
      aria-hidden="true"
    >
      <path d={path} />
    </svg>
  );
}
