/** How an app proves that a domain is its own: by a TXT record at `_svc-signin.<domain>` (A-CLI-02). */

export type TxtRecord = { readonly name: string; readonly value: string }

/** The record that a domain is proven by. */
export const proofRecord = (domain: string, token: string): TxtRecord => ({
  name: `_svc-signin.${domain}`,
  value: `svc-signin=${token}`,
})

const DOMAIN_MAX = 253
const LABEL = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/

/** Names under which registries of countries let others register, in the place of the second label. */
const REGISTRY_LABELS = new Set('ac co com edu gob gov gouv govt mil ne net nom or org'.split(' '))

/** Other names under which strangers have names of their own: registries, and hosts of their customers' sites. */
const SHARED_HOSTS = new Set(
  [
    'github.io gitlab.io pages.dev workers.dev vercel.app netlify.app web.app firebaseapp.com herokuapp.com onrender.com fly.dev',
    'azurewebsites.net cloudfront.net amazonaws.com elasticbeanstalk.com blogspot.com appspot.com run.app surge.sh glitch.me',
    'me.uk ltd.uk plc.uk ngrok.io ngrok.app ngrok-free.app duckdns.org dyndns.org no-ip.org myshopify.com wordpress.com uk.com us.com eu.com de.com',
  ].flatMap((line) => line.split(' ')),
)

/**
 * Why a name cannot be one party's own domain; undefined when it can. A name under which others register theirs is
 * refused (`co.uk`, `github.io`): a record there would open every name below it.
 */
export const domainFault = (domain: string): string | undefined => {
  const labels = domain.split('.')
  const [first = '', last = ''] = labels
  if (domain.length > DOMAIN_MAX || !labels.every((label) => LABEL.test(label)))
    return 'this is no domain name: use letters, digits and dashes, in lower case; others in their xn-- form'
  const top = labels.at(-1) ?? ''
  if (labels.length < 2 || /^\d+$/.test(top)) return 'a domain has to have two labels at least, such as shop.example'
  const isRegistry = labels.length === 2 && last.length === 2 && REGISTRY_LABELS.has(first)
  if (isRegistry || SHARED_HOSTS.has(domain))
    return 'others register their own names under this one; take one of your own'
  return undefined
}
