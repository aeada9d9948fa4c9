import { columns } from '../../console/output.ts'

/** Names and values below each other; a list has its items below each other. */
export const fields = (values: Readonly<Record<string, unknown>>): string =>
  columns(
    Object.entries(values).flatMap(([name, value]) =>
      Array.isArray(value) && value.length > 0
        ? value.map((item, i) => [i === 0 ? name : '', String(item)])
        : [[name, Array.isArray(value) || value === null ? '–' : String(value)]],
    ),
  )
