/** `done` of `of`; without `of` it only shows activity. */
export function Progress({ label, done, of }: { label: string; done?: number; of?: number }) {
  return (
    <div class="progress">
      <span>{label}</span>
      <progress aria-label={label} {...(of === undefined ? {} : { value: done ?? 0, max: of })} />
    </div>
  );
}
