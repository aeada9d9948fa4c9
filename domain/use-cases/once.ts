import type { Vault, World } from '../kernel/ports.ts'
import { isRefusal, refuse } from '../kernel/refusal.ts'

/**
 * A request with an Idempotency-Key makes its thing once, however often it is sent (J-RES-02, X-IDEM-01, Q-10). There
 * is no register of keys: the key makes the ids, so a repetition meets the stream that the first one began, and the
 * creating event keeps a digest of the request, so that another request under the same key is told apart. A key is
 * therefore kept as long as what it made: for ever (N-41).
 */
export type Once = {
  /**
   * The id of what is made: random without a key, and the same each time with one. Only the holder of the master key
   * can guess it.
   */
  id(prefix: string): string
  /** The mark of the request, to be spread into the creating event. */
  readonly mark: RequestMark
  /**
   * Names a call under a key in the stream that it changes, where the call has no stream of its own; undefined without
   * a key.
   */
  call(prefix: string): { readonly id: string; readonly request: string } | undefined
  /**
   * Makes the thing, or answers what the same request made before. `read` looks at the stream under the id, whose state
   * says `none` when there is none. Refuses `idempotency-conflict` when the key was used with another body.
   */
  make<T>(read: () => Promise<{ status: 'none' } | (T & RequestMark)>, create: () => Promise<T>): Promise<T>
  /** Whether `make` answered what was there before. */
  replayed(): boolean
}

type RequestMark = { readonly request?: string }

/** A request with its key. Keys of other tenants and other operations are other keys (N-41). */
export type IdempotentRequest = {
  readonly accountId: string
  readonly operation: string
  readonly key: string
  readonly body: object
  /** The message when the key was used with another body; it is that of the code unless given. */
  readonly conflict?: string
}

export const onceOf = (
  { world, vault }: { world: World; vault: Vault },
  keyed: IdempotentRequest | undefined,
): Once => {
  if (!keyed)
    return {
      id: (prefix) => world.id(prefix),
      mark: {},
      call: () => undefined,
      make: (_, create) => create(),
      replayed: () => false,
    }
  const { accountId, operation, key, body, conflict } = keyed
  const seed = vault.fingerprint('idempotency-key', JSON.stringify([accountId, operation, key]))
  const request = vault.fingerprint('idempotent-request', canonical(body))
  let replayed = false

  const before = async <T>(read: () => Promise<{ status: 'none' } | (T & RequestMark)>): Promise<T | undefined> => {
    const found = await read()
    if (isNone(found)) return undefined
    if (found.request !== request) return refuse('idempotency-conflict', conflict)
    replayed = true
    return found
  }
  // The prefix is among the parts, so that one id made from a key does not reveal another.
  const id = (prefix: string) => world.idFrom(prefix, prefix, seed)
  return {
    id,
    mark: { request },
    call: (prefix) => ({ id: id(prefix), request }),
    async make(read, create) {
      const made = await before(read)
      if (made !== undefined) return made
      try {
        return await create()
      } catch (error) {
        // The same request came at the same time and was first.
        const isTaken = isRefusal(error, 'id-taken')
        const first = isTaken ? await before(read) : undefined
        if (first === undefined) throw error
        return first
      }
    },
    replayed: () => replayed,
  }
}

const isNone = (found: object): found is { status: 'none' } => 'status' in found && found.status === 'none'

/** Two bodies that differ only in spaces or in the order of their keys are the same request. */
const canonical = (body: object): string =>
  JSON.stringify(body, (_, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  )
