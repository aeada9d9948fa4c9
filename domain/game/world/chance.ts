import type { World } from '../../kernel/ports.ts'

/**
 * Chance that is fixed before the player acts and that anyone can check afterwards. The server draws a 32-byte seed,
 * keeps it in the event and tells `commit`; when all is over it tells the seed (`reveal`). The results are
 * HMAC-SHA256(seed, `id|counter`), read as whole numbers of 32 bits from the left, with rejection sampling. `commit` is
 * the SHA-256 of the seed's 64 hexadecimal digits as text.
 */
export type Dice = {
  /** A whole number from 0 to `bound - 1`, each as likely as the other. */
  below(bound: number): number
}

const SEED_BYTES = 32
const WORD_BITS = 32
const WORD_DIGITS = WORD_BITS / 4

export const newSeed = (world: World): { seed: string; commit: string } => {
  const seed = world.secret(SEED_BYTES)
  return { seed, commit: world.digest(seed) }
}

/**
 * `id` tells apart what one seed decides: the run, the scan, the duel. Whoever asks the same questions again gets the
 * same answers.
 */
export const diceOf = (world: World, seed: string, id: string): Dice => {
  let counter = 0
  let left = ''
  const word = () => {
    if (left === '') left = world.mac(seed, `${id}|${counter++}`)
    const digits = left.slice(0, WORD_DIGITS)
    left = left.slice(WORD_DIGITS)
    return Number.parseInt(digits, 16)
  }
  return {
    below(bound) {
      if (!Number.isInteger(bound) || bound < 1 || bound > 2 ** WORD_BITS) throw new RangeError('a bound of 32 bits')
      // Words above the last whole multiple would make small numbers likelier.
      const limit = 2 ** WORD_BITS - (2 ** WORD_BITS % bound)
      let drawn = word()
      while (drawn >= limit) drawn = word()
      return drawn % bound
    },
  }
}
