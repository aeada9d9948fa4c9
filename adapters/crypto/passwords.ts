/** Passwords at rest. Hashing is slow on purpose, so how much of it runs and waits is bounded. */
import { randomBytes } from 'node:crypto'
import type { Passwords } from '../../domain/kernel/ports.ts'
import { refuse } from '../../domain/kernel/refusal.ts'

/**
 * argon2id at 19 MiB, two passes, one lane: the first choice of OWASP's password storage advice; about 10 ms of a core.
 */
const COST: HashCost = { memoryKiB: 19_456, passes: 2 }
const ARGON2ID = 2
const LANES = 1

/** More at once would take the threads that files and name look-ups need. */
const HASHES_AT_ONCE = 2
/** Beyond these the answer is `busy`: at two in 10 ms the last of them waits about half a second. */
const HASHES_WAITING_MAX = 100

/** What a hash takes: so much memory in KiB, gone through so many times. */
export type HashCost = { readonly memoryKiB: number; readonly passes: number }

/**
 * Hashes to PHC strings and verifies against them. A password is first brought to Unicode NFKC, so that the same word
 * typed on two keyboards is the same. Both reject with Refusal `busy` when too many wait; `verify` rejects when the
 * hash is not a PHC string. Only tests that are not about passwords give a `cost` of their own.
 */
export const createPasswords = (cost: HashCost = COST): Passwords => {
  const inTurn = turnstile(HASHES_AT_ONCE, HASHES_WAITING_MAX)
  const hashed = hashOf(cost)
  const ownStart = phcStart(cost)
  let made: Promise<string> | undefined
  const nobodys = () => {
    made ??= hashed(randomBytes(16))
    return made
  }
  return {
    hash: (password) => inTurn(() => hashed(password.normalize('NFKC'))),
    verify: (stored, password) =>
      inTurn(async () => {
        const { verify } = await library()
        const right = await verify(stored ?? (await nobodys()), password.normalize('NFKC'))
        return stored !== undefined && right
      }),
    outdated: (stored) => !stored.startsWith(ownStart),
  }
}

/** Loaded with the first password: its threads and its memory are only for those who have some. */
const library = () => import('@node-rs/argon2')

const hashOf =
  ({ memoryKiB, passes }: HashCost) =>
  async (password: string | Buffer): Promise<string> =>
    (await library()).hash(password, {
      algorithm: ARGON2ID,
      memoryCost: memoryKiB,
      timeCost: passes,
      parallelism: LANES,
    })

/** The text that a hash of this cost begins with (PHC string format). */
const phcStart = ({ memoryKiB, passes }: HashCost): string => `$argon2id$v=19$m=${memoryKiB},t=${passes},p=${LANES}$`

const turnstile = (atOnce: number, waitingMax: number) => {
  const waiting: (() => void)[] = []
  let inside = 0

  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (inside < atOnce) {
      inside += 1
    } else {
      if (waiting.length >= waitingMax) refuse('busy', 'too many passwords are being checked')
      // Whoever leaves hands over the place, so the number inside stays as it is.
      await new Promise<void>((enter) => waiting.push(enter))
    }
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else inside -= 1
    }
  }
}
