/** A table as CSV, as spreadsheets read it. A cell that begins like a formula gets an apostrophe, so that none runs. */
export function csvText(rows: readonly (readonly (string | number)[])[]): string {
  return `${rows.map((cells) => cells.map(cellText).join(',')).join('\r\n')}\r\n`;
}

function cellText(cell: string | number): string {
  if (typeof cell === 'number') return String(cell);
  const safe = /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
