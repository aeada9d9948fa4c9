import { idOf } from '../policy.ts'
import type { Letter } from '../ports.ts'
import type { Effect } from './effect.ts'

const LETTERS_AT_ONCE_MAX = 4
/** Pauses between attempts; after the last one the letter is given up, and the failure recorded. */
const ATTEMPT_PAUSES_MS = [1_000, 5_000, 30_000, 120_000]

/** Sends the letter that a verification asked for. The id of its outcome comes from the event, so it is sent once. */
export const sendLetter: Effect = {
  name: 'send-letter',
  concurrency: LETTERS_AT_ONCE_MAX,
  on: {
    EmailVerificationRequested: async ({ id, stream, data }, { ledger, world, vault, mail }) => {
      const accountId = idOf(stream)
      if ((await ledger.letter.read(id)).done) return
      const text = await vault.open(data.letter)
      if (text === undefined) return ledger.letter.giveUp(id, { accountId, attempts: 0, reason: 'erased' })
      for (let attempts = 1; ; attempts++) {
        try {
          await mail.send(JSON.parse(text) as Letter)
          return ledger.letter.sent(id, { accountId, attempts })
        } catch (error) {
          const pause = ATTEMPT_PAUSES_MS[attempts - 1]
          const reason = error instanceof Error ? error.message.slice(0, 200) : 'unknown'
          if (pause === undefined) return ledger.letter.giveUp(id, { accountId, attempts, reason })
          await world.pause(pause)
        }
      }
    },
  },
}
