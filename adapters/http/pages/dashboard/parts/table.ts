import { html } from 'htm/preact'

/** A column of a table: its heading, and what stands in it for a row. `number`: figures, aligned at the right. */
export type Column<Row> = {
  readonly title: string
  readonly number?: true
  cell(row: Row): unknown
}

/** A list with a caption; on a phone it is moved sideways inside its own frame. */
export const table = <Row>(caption: string, columns: readonly Column<Row>[], rows: readonly Row[]) => html`
  <div class="table" role="region" aria-label=${caption} tabindex="0">
    <table>
      <caption>${caption}</caption>
      <thead>
        <tr>${columns.map(({ title, number }) => html`<th scope="col" class=${number && 'number'}>${title}</th>`)}</tr>
      </thead>
      <tbody>
        ${rows.map(
          (row) =>
            html`<tr>${columns.map(({ number, cell }) => html`<td class=${number && 'number'}>${cell(row)}</td>`)}</tr>`,
        )}
      </tbody>
    </table>
  </div>
`
