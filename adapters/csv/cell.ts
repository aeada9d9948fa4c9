/**
 * Writes a cell of CSV as Postgres writes them: in quotes, each quote in it doubled, and what a spreadsheet would run
 * begins with a '.
 */
export const csvCell = (text: string): string => {
  const inert = STARTS_FORMULA.test(text) ? `'${text}` : text
  return `"${inert.replaceAll('"', '""')}"`
}

/** The beginning of a text that a spreadsheet would take for a formula. */
export const STARTS_FORMULA = /^[=+@\t\r\n-]/
