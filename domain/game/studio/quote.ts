import { addMinutes } from '../../kernel/calendar.ts'
import type { Vault, World } from '../../kernel/ports.ts'
import { refuse } from '../../kernel/refusal.ts'
import { periodOf } from '../world/periods.ts'

/**
 * What a work costs, signed: `q1.<work>.<character>.<units>.<unix ms>.<nonce>.<hash of the options>.<signature>`. The
 * signature covers the link too, so that a quote is good only for whoever asked (G-STU-02). Nothing of it is stored
 * until it is ordered.
 */
export type StudioQuote = {
  readonly slug: string
  readonly characterId: number
  readonly priceUnits: number
  readonly expiresAt: string
  /** The options as one text; a quote that comes back holds only their hash. */
  readonly opts: string
}

type QuoteSigner = { readonly world: Pick<World, 'digest' | 'secret'>; readonly vault: Pick<Vault, 'fingerprint'> }

/** Minutes that a quote is good for. */
const MINUTES = 5
const NONCE_BYTES = 8
const PURPOSE = 'studio-quote'
const FORM = /^q1\.([a-z-]{1,32})\.([0-9]{1,16})\.([0-9]{1,9})\.([0-9]{13})\.([0-9a-f]{16})\.([0-9a-f]{64})$/
/** Characters that no quote exceeds. */
export const QUOTE_MAX = 300

/**
 * When a quote made now ends: in five minutes and on the same day (UTC). What a member spends is counted by days, so
 * that a quote that can be paid on one day alone is never paid twice.
 */
export const quoteEnds = (now: string): string => {
  const [inMinutes, midnight] = [addMinutes(now, MINUTES), periodOf('day', now).endsAt]
  return inMinutes < midnight ? inMinutes : midnight
}

export const signedQuote = (signing: QuoteSigner, linkId: string, quoted: StudioQuote): string => {
  const { slug, characterId, priceUnits, expiresAt, opts } = quoted
  const until = Date.parse(expiresAt)
  const hash = signing.world.digest(opts)
  const text = ['q1', slug, characterId, priceUnits, until, signing.world.secret(NONCE_BYTES), hash].join('.')
  return `${text}.${signatureOf(signing, linkId, text)}`
}

/**
 * The quote that this order is for. Refuses `invalid-request` when it is none, `quote-mismatch` when it is one for
 * something or somebody else.
 */
export const quoteFor = (
  signing: QuoteSigner,
  linkId: string,
  quote: string,
  order: Pick<StudioQuote, 'slug' | 'characterId' | 'opts'>,
): Omit<StudioQuote, 'opts'> => {
  const end = quote.lastIndexOf('.')
  const text = quote.slice(0, end)
  const [, slug = '', character, price, until, , hash] =
    FORM.exec(text) ?? refuse('invalid-request', 'quote: has to be one that this studio gave, as it came')
  const { digest } = signing.world
  // The signatures are compared by their hashes, so that the time it takes tells nothing of the right one.
  if (digest(quote.slice(end + 1)) !== digest(signatureOf(signing, linkId, text)))
    return refuse('quote-mismatch', 'This quote was not given to this link. Ask for a quote of your own.')
  const characterId = Number(character)
  if (slug !== order.slug || characterId !== order.characterId || hash !== digest(order.opts))
    return refuse('quote-mismatch', 'The quote is for something else: ask for a new one.')
  return { slug, characterId, priceUnits: Number(price), expiresAt: new Date(Number(until)).toISOString() }
}

const signatureOf = ({ vault }: QuoteSigner, linkId: string, text: string): string =>
  vault.fingerprint(PURPOSE, `${linkId} ${text}`)
