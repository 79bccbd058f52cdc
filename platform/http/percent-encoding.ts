/**
 * True if percent-decoding yields UTF-8. A percent sign that encodes nothing stands for itself, as in the URL
 * standard.
 */
export function encodesUtf8(text: string): boolean {
  if (!BEYOND_ASCII.test(text)) {
    return true;
  }
  try {
    decodeURIComponent(text.replace(LONE_PERCENT, '%25'));
    return true;
  } catch {
    return false;
  }
}

const BEYOND_ASCII = /%[89a-f]/i;
const LONE_PERCENT = /%(?![0-9a-f]{2})/gi;
