import { useApp } from '../app/app-context.ts';
import { Choice } from './choice.tsx';

const OPTIONS = [
  { value: 'auto', word: 'Auto' },
  { value: 'rfid', word: 'RFID' },
  { value: 'barcode', word: 'Barcode' },
  { value: 'ble', word: 'BLE' },
] as const;

/** The kind of tag that scanned values are taken for. */
export function TagTypeChoice() {
  const { settings } = useApp();
  return (
    <Choice
      label="Read as"
      options={OPTIONS}
      value={settings.now.value.tagType}
      onChoose={(tagType) => void settings.change({ tagType })}
    />
  );
}
