/** Passwords at rest. Hashing is slow on purpose, so how much of it runs and waits is bounded. */
import { randomBytes } from 'node:crypto'
import type { Passwords } from '../../domain/kernel/ports.ts'
import { refuse } from '../../domain/kernel/refusal.ts'

/**
 * argon2id at 19 MiB, two passes, one lane: the first choice of OWASP's password storage advice; about 10 ms of a core.
 */
const ARGON2ID = 2
const COST = { algorithm: ARGON2ID, memoryCost: 19_456, timeCost: 2, parallelism: 1 }
/** The text that a hash of this cost begins with (PHC string format). */
const PHC_START = `$argon2id$v=19$m=${COST.memoryCost},t=${COST.timeCost},p=${COST.parallelism}$`

/** More at once would take the threads that files and name look-ups need. */
const HASHES_AT_ONCE = 2
/** Beyond these the answer is `busy`: at two in 10 ms the last of them waits about half a second. */
const HASHES_WAITING_MAX = 100

/**
 * Hashes to PHC strings and verifies against them. A password is first brought to Unicode NFKC, so that the same word
 * typed on two keyboards is the same. Both reject with Refusal `busy` when too many wait; `verify` rejects when the
 * hash is not a PHC string.
 */
export const createPasswords = (): Passwords => {
  const inTurn = turnstile(HASHES_AT_ONCE, HASHES_WAITING_MAX)
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
    outdated: (stored) => !stored.startsWith(PHC_START),
  }
}

/** Loaded with the first password: its threads and its memory are only for those who have some. */
const library = () => import('@node-rs/argon2')

const hashed = async (password: string | Buffer): Promise<string> => (await library()).hash(password, COST)

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
