import { Refusal } from '../../../../domain/kernel/refusal.ts'

/**
 * Looks at chains under way in this process, each of which may ask much of their nodes: above this, an account has one
 * at a time. Whoever has none under way is always let in, so that no seller takes the looks of another.
 */
const LOOKS_MAX = 16
/** Looks under way for one account. */
const LOOKS_PER_ACCOUNT_MAX = 4

/** A look at chains for an account; calls that ask for the same at the same time share one. */
export type Looks<T> = (key: string, accountId: string, look: () => Promise<T>) => Promise<T>

/** Lets accounts look at chains, and refuses `busy` above the bounds. */
export const createLooks = <T>(): Looks<T> => {
  const underWay = new Map<string, { readonly accountId: string; readonly look: Promise<T> }>()
  return (key, accountId, look) => {
    const shared = underWay.get(key)
    if (shared) return shared.look
    const own = [...underWay.values()].filter((other) => other.accountId === accountId)
    const most = underWay.size >= LOOKS_MAX ? 1 : LOOKS_PER_ACCOUNT_MAX
    if (own.length >= most)
      return Promise.reject(new Refusal('busy', 'Too many checks at once. Try again when one has ended.'))
    const looking = look().finally(() => underWay.delete(key))
    underWay.set(key, { accountId, look: looking })
    return looking
  }
}
