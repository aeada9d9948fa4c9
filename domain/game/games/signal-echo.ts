import { rules, times } from './rules.ts'

/**
 * A beacon sends signals, one more in each round; the player sends them back. Each one counts up to the first that is
 * wrong.
 */

const SIGNALS = 'ABCD'
const ROUNDS = 8
const SIGNALS_FIRST = 3
const POINTS_EACH = 10

export const signalEcho = rules<string>({
  deal: (dice) =>
    times(ROUNDS, (n) => times(SIGNALS_FIRST + n, () => SIGNALS.charAt(dice.below(SIGNALS.length))).join('')),
  shown: (signals) => ({ signals }),
  points(signals, input) {
    if (typeof input !== 'string' || input.length > signals.length || !/^[ABCD]+$/.test(input)) return undefined
    const wrong = [...signals].findIndex((signal, n) => signal !== input[n])
    return POINTS_EACH * (wrong === -1 ? signals.length : wrong)
  },
})
