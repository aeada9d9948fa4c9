import { randomBytes } from 'node:crypto'

/**
 * What a card processor remembers: its accounts by their keys, what they sell, who pays, and what it has answered
 * before.
 */

export type Thing = Record<string, unknown> & { id: string }

export type Key = {
  readonly account: string
  readonly live: boolean
  /** May not see its own account. */
  readonly restricted: boolean
}

export type State = ReturnType<typeof createState>

export const createState = () => {
  const keys = new Map<string, Key>()
  const products = new Map<string, Thing>()
  const endpoints: Thing[] = []
  const sessions = new Map<string, Thing>()
  const charges = new Map<string, Thing>()
  const refunds = new Map<string, Thing>()
  /** What was answered under an idempotency key, and to what. */
  const answered = new Map<string, { asked: string; status: number; body: object }>()
  return { keys, products, endpoints, sessions, charges, refunds, answered }
}

export const fresh = (prefix: string): string => `${prefix}_${randomBytes(12).toString('hex')}`

/** `a[b][0][c]=x` as an object of objects; numbers of places stay keys. */
export const nested = (text: string): Record<string, unknown> => {
  const root: Record<string, unknown> = {}
  for (const [name, value] of new URLSearchParams(text)) {
    const [first = '', ...rest] = name.split('[').map((part) => part.replace(/\]$/, ''))
    const path = [first, ...rest]
    let at = root
    for (const part of path.slice(0, -1)) {
      at[part] ??= {}
      at = at[part] as Record<string, unknown>
    }
    at[path.at(-1) as string] = value
  }
  return root
}
