export function Mark() {
  return (
    <svg class="mark" viewBox="14 14 40 40" aria-hidden="true">
      <path
        class="mark-tag"
        fill-rule="evenodd"
        d="M22 16h25a5 5 0 0 1 5 5v26a5 5 0 0 1-5 5H21a5 5 0 0 1-5-5V22zM26 22.4a3.6 3.6 0 1 0 0 7.2 3.6 3.6 0 0 0 0-7.2z"
      />
      <path class="mark-waves" d="M37 26a11 11 0 0 1-11 11M44 26a18 18 0 0 1-18 18" />
    </svg>
  );
}
