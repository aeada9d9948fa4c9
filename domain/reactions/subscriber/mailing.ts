import type { Letter } from '../../kernel/mail.ts'
import type { EffectContext } from './effect.ts'

/** How many letters are on their way at once, for each effect that sends some. */
export const LETTERS_AT_ONCE_MAX = 4
/** Pauses between attempts; after the last one the letter is given up, and the failure recorded. */
const ATTEMPT_PAUSES_MS = [1_000, 5_000, 30_000, 120_000]

/**
 * Sends a letter once, and writes down what became of it in the stream `letter-<letterId>`: neither a restart nor a
 * replay sends it again. The id comes from the event that asks for it. `compose` answers undefined when its reader was
 * erased; `subjectId` is the account or the user that the letter is for.
 */
export const mailOnce = async (
  { ledger, world, mail }: EffectContext,
  letterId: string,
  subjectId: string,
  compose: () => Promise<Letter | undefined>,
): Promise<void> => {
  const outcome = { accountId: subjectId }
  if ((await ledger.letter.read(letterId)).done) return
  const letter = await compose()
  if (letter === undefined) {
    await ledger.letter.giveUp(letterId, { ...outcome, attempts: 0, reason: 'erased' })
    return
  }
  for (let attempts = 1; ; attempts++) {
    try {
      await mail.send(letter)
      await ledger.letter.sent(letterId, { ...outcome, attempts })
      return
    } catch (error) {
      const pause = ATTEMPT_PAUSES_MS[attempts - 1]
      const reason = error instanceof Error ? error.message.slice(0, 200) : 'unknown'
      if (pause === undefined) {
        await ledger.letter.giveUp(letterId, { ...outcome, attempts, reason })
        return
      }
      await world.pause(pause)
    }
  }
}
