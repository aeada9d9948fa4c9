import { idOf } from '../../kernel/decider.ts'
import type { Letter } from '../../kernel/mail.ts'
import type { RecordedEvent, SealedText } from '../../kernel/ports.ts'
import type { Effect, EffectContext } from '../subscriber/effect.ts'
import { LETTERS_AT_ONCE_MAX, mailOnce } from '../subscriber/mailing.ts'

/**
 * Sends the letter that lies sealed in the event that asked for it. The id of its outcome comes from the event, so it
 * is sent once.
 */
export const sendLetter: Effect = {
  name: 'send-letter',
  concurrency: LETTERS_AT_ONCE_MAX,
  on: {
    EmailVerificationRequested: async (event, context) => {
      if (!event.data.withheld) await sendSealed(event, context)
    },
    UserLinkRequested: (event, context) => sendSealed(event, context),
  },
}

const sendSealed = (
  { id, stream, data }: RecordedEvent<{ readonly type: string; readonly data: { letter: SealedText } }>,
  context: EffectContext,
): Promise<void> =>
  mailOnce(context, id, idOf(stream), async () => {
    const text = await context.vault.open(data.letter)
    return text === undefined ? undefined : (JSON.parse(text) as Letter)
  })
