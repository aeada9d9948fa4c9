import type { TestApp } from './app.ts'
import { ok } from './seller.ts'

/** The report that holds transactions, books and chains against each other, as a seller reads it. */

export type Line = {
  readonly kind: string
  readonly status: string
  readonly differences: readonly { where: string; what: string }[]
  readonly hash: string | null
  readonly transaction_id: string | null
  readonly amounts: Readonly<Record<string, { units: string; amount: string } | null>>
  readonly edited_by_hand?: readonly string[]
  readonly matched_by_hand?: true
}
export type Report = {
  readonly lines: readonly Line[]
  readonly summary: {
    all_agree: boolean
    lines: number
    differences: number
    by_hand: number
    coins: readonly object[]
  }
  readonly cursor: string | null
}

/** Every page of the report. */
export const reported = async (
  app: Pick<TestApp, 'call'>,
  key: string,
  query: Readonly<Record<string, string>> = {},
): Promise<Report> => {
  const pages: Report[] = []
  for (let cursor: string | null | undefined; cursor !== null; cursor = pages.at(-1)?.cursor ?? null) {
    const asked = new URLSearchParams({ ...query, ...(cursor && { cursor }) })
    pages.push((await ok(app.call('GET', `/v1/reports/reconcile?${asked}`, { key }))).json)
  }
  const all = pages.flatMap(({ lines }) => lines)
  const differences = pages.reduce((sum, { summary }) => sum + summary.differences, 0)
  const by_hand = pages.reduce((sum, { summary }) => sum + summary.by_hand, 0)
  const all_agree = pages.every(({ summary }) => summary.all_agree)
  return { lines: all, cursor: null, summary: { all_agree, lines: all.length, differences, by_hand, coins: [] } }
}

export const lineOf = ({ lines }: Report, hash: string, kind = 'payment'): Line => {
  const [line, ...others] = lines.filter((each) => each.hash === hash && each.kind === kind)
  if (!line || others.length > 0) throw new Error(`${others.length + (line ? 1 : 0)} lines of ${hash}`)
  return line
}
