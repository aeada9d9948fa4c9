import type { Onward } from '../pages/buyer/receipt.ts'

/** The link on to the seller: only to the web, and never followed before the buyer sees where it leads. */
export const onward = (redirect: string): Onward | undefined => {
  const url = URL.canParse(redirect) ? new URL(redirect) : undefined
  return url && /^https?:$/.test(url.protocol) ? { href: url.href, to: url.host } : undefined
}
