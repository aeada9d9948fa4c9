import type { LinkPurpose } from '../../signin/user.ts'
import type { Flow } from '../flow.ts'
import { userLink } from './user-link.ts'

/** Sends a user a letter with a link that works once; those of the same purpose end. Refuses `rate-limited`. */
export const sendUserLink = async (
  flow: Flow,
  { sub, to, purpose }: { sub: string; to: string; purpose: LinkPurpose },
): Promise<void> => {
  const { link } = await userLink(flow, { sub, to, purpose })
  await flow.ledger.user.requestLink(sub, link)
}
