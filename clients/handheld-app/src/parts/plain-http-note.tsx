/** Which features browsers deny to apps served over plain HTTP, and what to do about it. */
export function PlainHttpNote() {
  if (window.isSecureContext) {
    return null;
  }
  return (
    <section class="advice" aria-label="Opened over plain http">
      <p>
        This page came over plain http. It scans with the trigger and keeps what is scanned, but the browser
        does not let it open without a network, nor use the camera. Whoever runs the gateway can put it behind
        https (guide “Handhelds”).
      </p>
    </section>
  );
}
