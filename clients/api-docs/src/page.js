// Nothing leaves for elsewhere: no telemetry, fonts, proxy or assistant of the library's makers. The page's policy allows
// none of it either.
window.Scalar.createApiReference('#reference', {
  url: 'openapi.json',
  // Where this page is from, below whatever path a proxy adds.
  servers: [{ url: new URL('..', location.href).href.slice(0, -1) }],
  telemetry: false,
  withDefaultFonts: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: 'never',
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
  // WCAG 2.2: by itself its colours are too faint, its arrows too small, and its code scrolls by mouse only.
  customCss: `
    .light-mode {
      --scalar-color-2: #4b5058; --scalar-color-3: #5c626b; --scalar-color-blue: #005c99;
      --scalar-color-green: #00643f; --scalar-color-yellow: #725300; --scalar-color-red: #b80000;
      --scalar-color-orange: #974200; --scalar-color-purple: #5c3aa8;
    }
    .dark-mode {
      --scalar-color-3: #a8adb5; --scalar-color-red: #ff9a9a; --scalar-color-blue: #7cc4ff;
      --scalar-color-purple: #c3b0ff;
    }
    code.hljs {
      max-height: none !important; overflow: hidden !important; white-space: pre-wrap !important; overflow-wrap: anywhere;
    }
    button[aria-expanded].absolute { min-width: 24px; min-height: 24px; }`,
});
