import { Label } from './label.tsx';
import type { LabelItem } from './label-item.ts';
import type { Codes } from './label-layout.ts';
import { type LabelSize, perSheet } from './sizes.ts';

/** Sheets of labels in their size on paper. `first`: how many labels of the first sheet are used up. */
export function Sheets({
  items,
  size,
  codes,
  first,
  most = Number.POSITIVE_INFINITY,
}: {
  items: readonly LabelItem[];
  size: LabelSize;
  codes: Codes;
  first: number;
  /** Sheets that are drawn. */
  most?: number;
}) {
  const each = perSheet(size);
  const places = [...Array.from({ length: first }, () => null), ...items];
  const sheets = Array.from({ length: Math.min(most, Math.ceil(places.length / each)) }, (_, index) =>
    places.slice(index * each, (index + 1) * each),
  );
  const { page, width, height } = size;
  return (
    <>
      {sheets.map((labels, index) => (
        <div key={index} class="sheet-of-labels" style={{ width: mm(page.width), height: mm(page.height) }}>
          {labels.map((item, place) =>
            item === null ? null : (
              <div
                key={item.id}
                class="label-place"
                style={{
                  left: mm(size.left + (place % size.columns) * size.across),
                  top: mm(size.top + Math.floor(place / size.columns) * size.down),
                  width: mm(width),
                  height: mm(height),
                }}
              >
                <Label item={item} size={size} codes={codes} />
              </div>
            ),
          )}
        </div>
      ))}
    </>
  );
}

function mm(millimetres: number): string {
  return `${Math.round(millimetres * 1_000) / 1_000}mm`;
}
