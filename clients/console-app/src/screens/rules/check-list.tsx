/** Some of many, each with a box to tick. What was chosen and is not among them any more stays in the list. */
export function CheckList<Value extends string | number>({
  legend,
  hint,
  fault,
  choices,
  chosen,
  onChosen,
}: {
  legend: string;
  hint: string;
  fault: string | null;
  choices: readonly { value: Value; word: string }[];
  chosen: readonly Value[];
  onChosen: (chosen: Value[]) => void;
}) {
  const known = new Set(choices.map(({ value }) => value));
  const all = [
    ...choices,
    ...chosen.filter((value) => !known.has(value)).map((value) => ({ value, word: String(value) })),
  ];
  return (
    <fieldset class="checks rule-checks">
      <legend>{legend}</legend>
      <div class="rule-check-list">
        {all.map(({ value, word }) => (
          <label class="check" key={value}>
            <input
              type="checkbox"
              checked={chosen.includes(value)}
              onChange={({ currentTarget: { checked } }) =>
                onChosen(checked ? [...chosen, value] : chosen.filter((each) => each !== value))
              }
            />
            <span>{word}</span>
          </label>
        ))}
      </div>
      <p class={fault === null ? 'hint' : 'fault'}>{fault ?? hint}</p>
    </fieldset>
  );
}
