import { decider } from '../kernel/decider.ts'

/**
 * A letter that was asked for, and what became of it. Its text lies sealed in the event that asked; the stream is named
 * by that event.
 */

export type LetterEvents = {
  LetterSent: { accountId: string; attempts: number }
  /** The letter was given up after the last attempt. */
  LetterFailed: { accountId: string; attempts: number; reason: string }
}

export type LetterCommands = {
  sent: LetterEvents['LetterSent']
  giveUp: LetterEvents['LetterFailed']
}

type State = { done: boolean }

export const letter = decider<LetterEvents, LetterCommands, State>({
  category: 'letter',
  stateVersion: 1,
  initial: { done: false },
  decide: {
    sent: ({ done }, data) => (done ? [] : [{ type: 'LetterSent', data }]),
    giveUp: ({ done }, data) => (done ? [] : [{ type: 'LetterFailed', data }]),
  },
  evolve: { LetterSent: () => ({ done: true }), LetterFailed: () => ({ done: true }) },
})
