import { html } from 'htm/preact'

/** A column of a table: its heading, and what stands in it for a row. `number`: figures, aligned at the right. */
export type Column<Row> = {
  readonly title: string
  readonly number?: true
  cell(row: Row): unknown
}

/**
 * A list with a caption; on a phone it is moved sideways inside its own frame, or, as `cards`, each row is a card.
 * Cards say their roles, because a browser takes what is no table on the screen for none.
 */
export const table = <Row>(
  caption: string,
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  onPhone?: 'cards',
) => {
  const role = (name: string) => onPhone && name
  return html`
    <div class=${onPhone ? 'table cards' : 'table'} role="region" aria-label=${caption} tabindex="0">
      <table role=${role('table')}>
        <caption>${caption}</caption>
        <thead role=${role('rowgroup')}>
          <tr role=${role('row')}>
            ${columns.map(({ title, number }) => html`<th scope="col" role=${role('columnheader')} class=${number && 'number'}>${title}</th>`)}
          </tr>
        </thead>
        <tbody role=${role('rowgroup')}>
          ${rows.map(
            (row) => html`
              <tr role=${role('row')}>
                ${columns.map(({ title, number, cell }) => html`<td role=${role('cell')} class=${number && 'number'} data-title=${onPhone && title}>${cell(row)}</td>`)}
              </tr>
            `,
          )}
        </tbody>
      </table>
    </div>
  `
}
