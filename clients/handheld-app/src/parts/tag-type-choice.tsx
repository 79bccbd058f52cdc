import { Choice } from '../../../ui/parts/choice.tsx';
import { useApp } from '../app/app-context.ts';
import { texts } from '../texts/texts.ts';

/** The kind of tag assumed for scanned values. */
export function TagTypeChoice() {
  const { settings } = useApp();
  const said = texts.value.scan;
  return (
    <Choice
      label={said.readAs}
      options={[
        { value: 'auto', word: said.auto },
        { value: 'rfid', word: 'RFID' },
        { value: 'barcode', word: said.barcode },
        { value: 'ble', word: 'BLE' },
      ]}
      value={settings.now.value.tagType}
      onChoose={(tagType) => void settings.change({ tagType })}
    />
  );
}
