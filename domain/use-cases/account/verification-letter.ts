import { REQUEST_HOURS } from '../../account/email.ts'
import type { UseCaseContext } from '../context.ts'

/** What a letter is about: whose link it has, and what happened when and from which network. */
export type Occasion = {
  readonly about: 'welcome' | 'change'
  readonly what: 'made' | 'asked'
  readonly at: Date
  /** `203.0.113.7`, `2001:db8:1:2::/64` */
  readonly network: string
}

const WORDS = {
  welcome: {
    subject: 'Confirm your email address',
    greeting: 'Welcome to Daybook.',
    request:
      'If that was you, follow this link to confirm your email address. It activates the account and adds $5 of free credit:',
    otherwise: 'If it was not you, do not follow the link: that account then never gets your address.',
  },
  change: {
    subject: 'Confirm your email address',
    greeting: 'Somebody wants this address to be the one of their Daybook account.',
    request: 'If that is you, follow this link to confirm it. Until then the account keeps its present address:',
    otherwise: 'If it is not you, do not follow the link.',
  },
  taken: {
    subject: 'Your email address was given for another account',
    greeting: 'Your Daybook account has this address, and keeps it. Somebody gave it for another account.',
    request:
      'If that was you, and the other account is to have the address, give the account that has it another one first. Then follow this link:',
    otherwise:
      'If it was not you, there is nothing to do: the other account cannot get the address while yours has it.',
  },
} as const

const FACTS = { made: 'An account was made with this address', asked: 'This letter was asked for' } as const

/**
 * A letter with a link that proves who reads mail to an address; the log keeps the letter sealed and the hash of its
 * token.
 */
export const verificationLetter = async (
  { world, vault, origins }: UseCaseContext,
  { accountId, to, occasion, taken }: { accountId: string; to: string; occasion: Occasion; taken: boolean },
) => {
  const token = `${accountId}.${world.secret(32)}`
  const { subject, greeting, request, otherwise } = WORDS[taken ? 'taken' : occasion.about]
  const when = `${occasion.at.toISOString().slice(0, 16).replace('T', ' at ')} UTC`
  const fact = `${FACTS[occasion.what]} on ${when}, from the network ${occasion.network}.`
  const link = `${origins.base}/verify-email?token=${token}`
  const validity = `The link works once, within ${REQUEST_HOURS} hours. ${otherwise}`
  const text = [greeting, fact, '', request, '', link, '', validity].join('\n')
  return {
    tokenHash: world.digest(token),
    expiresAt: new Date(world.now().getTime() + REQUEST_HOURS * 3_600_000).toISOString(),
    letter: await vault.seal(accountId, JSON.stringify({ to, subject, text })),
  }
}
