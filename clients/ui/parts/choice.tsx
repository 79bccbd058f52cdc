import { useId } from 'preact/hooks';

export function Choice<Value extends string>({
  label,
  options,
  value,
  onChoose,
}: {
  label: string;
  options: readonly { value: Value; word: string }[];
  value: Value;
  onChoose: (value: Value) => void;
}) {
  const name = useId();
  return (
    <fieldset class="choice">
      <legend>{label}</legend>
      <div class="choice-options">
        {options.map((option) => (
          <label key={option.value}>
            <input
              type="radio"
              name={name}
              value={option.value}
              checked={option.value === value}
              onChange={() => onChoose(option.value)}
            />
            <span>{option.word}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
