import { isOwn } from '../../account/account.ts'
import { hasRival, REQUEST_HOURS } from '../../account/email.ts'
import { refuse } from '../../kernel/refusal.ts'
import type { UseCaseContext } from '../context.ts'
import { claimFor } from './address-holder.ts'

/** The account that an email address belongs to: one at a time, and only an account that has proven it (N-15, N-16). */

/**
 * The keyed hash by which an address is known. Addresses that reach the same mailbox by every common rule count as one:
 * upper and lower case make no difference.
 */
export const fingerprintOf = ({ vault }: Pick<UseCaseContext, 'vault'>, email: string): string =>
  vault.fingerprint('email', email.normalize('NFKC').toLowerCase())

type Wish = { readonly accountId: string; readonly to: string; readonly network: string; readonly occasion: Occasion }

/**
 * Notes that an account wants an address, and writes the letter to whoever reads mail there. The work is the same, and
 * so is what the caller can tell, whether or not the address is another account's: the letter alone says it (N-16).
 */
export const requestAddress = async (flow: UseCaseContext, { accountId, to, network, occasion }: Wish) => {
  const { ledger, vault } = flow
  const fingerprint = fingerprintOf(flow, to)
  const from = { accountId, network: vault.fingerprint('network', network) }
  const { state, events } = await ledger.email.request(fingerprint, from)
  const { holder = accountId } = state
  const held = isOwn(await ledger.account.read(holder), fingerprint)
  const letter = await verificationLetter(flow, { accountId, to, occasion, taken: held && holder !== accountId })
  const withheld = events.some(({ type, data }) => type === 'EmailRequested' && data.withheld)
  return withheld ? { ...letter, withheld } : letter
}

/**
 * Makes the address the account's. Whoever had claimed it and never proven it can not do so by an older link from then
 * on, so that two accounts never come to use one address. Refuses `email-taken`, `password-required`.
 */
export const claimAddress = async (
  flow: UseCaseContext,
  fingerprint: string,
  { accountId, proven }: { accountId: string; proven: boolean },
): Promise<void> => {
  const { ledger, world } = flow
  await claimFor(flow, fingerprint, {
    id: accountId,
    proven,
    uses: async (holder) => isOwn(await ledger.account.read(holder), fingerprint),
    async settle(holder) {
      // This comes before anything ends: a link that still needs the password does not count as followed.
      const state = await ledger.email.read(fingerprint)
      if (!proven && hasRival(state, accountId, world.now().toISOString())) refuse('password-required')
      await ledger.account.endVerification(holder, { emailFingerprint: fingerprint })
    },
  })
}

/** What a letter is about: the kind of its link, what happened, when, and from which network. */
export type Occasion = {
  readonly about: 'welcome' | 'change'
  readonly what: 'made' | 'asked'
  readonly at: Date
  /** The network of the caller, such as `203.0.113.7` or `2001:db8:1:2::/64`. */
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
