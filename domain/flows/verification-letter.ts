import type { Flow } from './flow.ts'

/** How long the mailed link works (N-15). */
const LINK_HOURS = 24

const WORDS = {
  welcome: [
    'Welcome to Daybook.',
    'Follow this link to confirm your email address. It activates your account and adds $5 of free credit:',
    'If you did not sign up, ignore this letter.',
  ],
  change: [
    'Somebody wants this address to be the one of their Daybook account.',
    'If that is you, follow this link to confirm it. Until then the account keeps its present address:',
    'If it is not you, ignore this letter.',
  ],
} as const

/** A letter with a link that proves who reads mail to an address; the log keeps the letter sealed and the hash of its token. */
export const verificationLetter = async (
  { world, vault, origins }: Flow,
  { accountId, to, about }: { accountId: string; to: string; about: keyof typeof WORDS },
) => {
  const token = `${accountId}.${world.secret(32)}`
  const [greeting, request, otherwise] = WORDS[about]
  const link = `${origins.base}/verify-email?token=${token}`
  const validity = `The link works once, within ${LINK_HOURS} hours. ${otherwise}`
  const text = [greeting, '', request, '', link, '', validity].join('\n')
  return {
    tokenHash: world.digest(token),
    expiresAt: new Date(world.now().getTime() + LINK_HOURS * 3_600_000).toISOString(),
    letter: await vault.seal(accountId, JSON.stringify({ to, subject: 'Confirm your email address', text })),
  }
}
