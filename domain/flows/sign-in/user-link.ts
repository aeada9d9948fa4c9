import type { LinkPurpose } from '../../signin/user.ts'
import type { Flow } from '../flow.ts'

/** How long each link works. */
const HOURS: Readonly<Record<LinkPurpose, number>> = {
  'verify-email': 24,
  'reset-password': 0.5,
  'change-email': 24,
  'confirm-change': 24,
}

/** Where each leads, what the letter is called, and what it says. The page shows a button, because scanners of mail follow links. */
const WORDS: Readonly<Record<LinkPurpose, readonly [path: string, subject: string, text: string]>> = {
  'verify-email': [
    '/sign-up/verify',
    'Confirm your email address',
    'Welcome to Daybook. Open this link to confirm that this is your address:',
  ],
  'reset-password': ['/sign-in/reset', 'Choose a new password', 'Open this link to choose a new password:'],
  'change-email': [
    '/account/email/confirm',
    'Confirm your new email address',
    'Somebody wants this address to be the one they sign in to Daybook with. If that is you, open this link:',
  ],
  'confirm-change': [
    '/account/email/confirm',
    'Your email address is to change',
    'Somebody who is signed in as you wants to sign in with another address. If that is you, open this link:',
  ],
}

/** A link that works once, in a letter that the log keeps sealed; of its token the log keeps the hash. */
export const userLink = async (
  { world, vault, origins }: Pick<Flow, 'world' | 'vault' | 'origins'>,
  { sub, to, purpose }: { sub: string; to: string; purpose: LinkPurpose },
) => {
  const token = `${sub}.${world.secret(32)}`
  const [path, subject, request] = WORDS[purpose]
  const link = `${origins.auth}${path}?token=${token}`
  const hours = HOURS[purpose]
  const validity = hours < 1 ? `${hours * 60} minutes` : `${hours} hours`
  const text = [
    request,
    '',
    link,
    '',
    `It works once, within ${validity}. If this was not you, ignore this letter.`,
  ].join('\n')
  return {
    link: {
      purpose,
      tokenHash: world.digest(token),
      expiresAt: new Date(world.now().getTime() + hours * 3_600_000).toISOString(),
      letter: await vault.seal(sub, JSON.stringify({ to, subject, text })),
    },
  }
}
