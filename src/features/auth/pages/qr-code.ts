import { createRequire } from 'node:module';
import type generator from 'qrcode-generator';
import { type Html, html } from '../../../base/html.ts';

/** The width of the quiet zone that scanners need, in modules. */
const MARGIN = 4;

/** A text as a QR code: an SVG image of dark modules on white, in any colour scheme. */
export function qrCode(text: string, label: string): Html {
  // Loaded with the first image.
  const qrcode = createRequire(import.meta.url)('qrcode-generator') as typeof generator;
  const code = qrcode(0, 'M');
  code.addData(text);
  code.make();
  const count = code.getModuleCount();
  const squares: string[] = [];
  for (let row = 0; row < count; row += 1) {
    for (let column = 0; column < count; column += 1) {
      if (code.isDark(row, column)) squares.push(`M${column + MARGIN} ${row + MARGIN}h1v1h-1z`);
    }
  }
  const size = count + 2 * MARGIN;
  return html`<svg class="qr" role="img" aria-label="${label}" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges">
<path fill="#fff" d="M0 0h${size}v${size}H0z"/><path fill="#000" d="${squares.join('')}"/></svg>`;
}
