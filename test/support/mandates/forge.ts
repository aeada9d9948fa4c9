/** A mandate that is good until one part of it is changed. */
import { compact, digest, disclosure, jws, type Minter } from './mint.ts'
import { AUD, checkout, holder, NONCE, NOW_S, signedCheckout, WALLET, wallet } from './scene.ts'

type Claims = Readonly<Record<string, unknown>>

export type Forged = {
  /** Members that are undefined are left out. */
  readonly header?: object
  readonly claims?: object
  /** In the place of the whole payload; for what no object writes. */
  readonly payload?: string
  readonly by?: Minter
  /** Disclosed selectively: names of claims. */
  readonly hide?: readonly string[]
  /** What is done to the disclosures after the issuer has signed, before the key is proved. */
  readonly shown?: (disclosures: readonly string[]) => readonly string[]
  /** Null: the key is not proved. */
  readonly proof?: object | null
  readonly proofHeader?: object
  readonly proofBy?: Minter
}

export const closedClaims = (): Claims => {
  const checkout_jwt = signedCheckout()
  return { vct: 'mandate.checkout.1', checkout_jwt, checkout_hash: digest(checkout_jwt) }
}

export const cnf = { jwk: holder.jwk }

/** Signed by the wallet, its key proved by the holder, unless told otherwise. */
export const mandate = (change: Forged = {}): string => {
  const { by = wallet, hide = ['checkout_jwt'], shown = (all) => all, proofBy = holder } = change
  const claims: Record<string, unknown> = {
    iss: WALLET,
    iat: NOW_S - 5,
    exp: NOW_S + 600,
    cnf,
    ...closedClaims(),
    ...change.claims,
  }
  const names = hide.filter((name) => claims[name] !== undefined)
  const disclosures = names.map((name) => disclosure(name, claims[name]))
  for (const name of names) delete claims[name]
  const payload = { ...claims, ...(names.length > 0 && { _sd: disclosures.map((text) => digest(text)) }) }
  const header = { alg: 'ES256', typ: 'dc+sd-jwt', kid: by.jwk.kid, ...change.header }
  const presented = compact(jws(header, change.payload ?? payload, by), shown(disclosures))
  if (change.proof === null) return presented
  const proof = { iat: NOW_S, aud: AUD, nonce: NONCE, sd_hash: digest(presented), ...change.proof }
  return presented + jws({ alg: 'ES256', typ: 'kb+jwt', ...change.proofHeader }, proof, proofBy)
}

/** Presented by its issuer: no key is asked for, audience and nonce stand in the mandate itself. */
export const direct = (change: Forged = {}): string =>
  mandate({ proof: null, ...change, claims: { cnf: undefined, aud: AUD, nonce: NONCE, ...change.claims } })

/** About another checkout than the session's; `header` is that of the seller's own signature. */
export const about = (content: object, header?: object): object => {
  const checkout_jwt = signedCheckout({ ...checkout, ...content }, header)
  return { checkout_jwt, checkout_hash: digest(checkout_jwt) }
}

export type Link = {
  readonly header?: object
  readonly claims?: object
  /** What is wrapped in it. */
  readonly body?: object
  readonly by?: Minter
  readonly disclosures?: readonly string[]
  /** It names what was issued of the link before, in the place of what was shown of it. */
  readonly namesIssued?: true
}

export const items = (...required: readonly (readonly [quantity: number, ...ids: readonly string[]])[]) => ({
  type: 'checkout.line_items',
  items: required.map(([quantity, ...ids], i) => ({
    id: `need_${i}`,
    quantity,
    acceptable_items: ids.map((id) => ({ id, title: id })),
  })),
})
export const CART = items([2, 'res_a'], [1, 'res_b'])

/** The wallet's own, which a chain begins with. */
export const open = (link: Link): string => {
  const body = { ...openBody(), ...link.body }
  return linkOf(
    { header: { typ: 'dc+sd-jwt', kid: wallet.jwk.kid }, by: wallet, claims: { iss: WALLET } },
    { ...link, body },
  )
}

/** `open~~…~~closed`: the first is the wallet's, the next ones are signed by the holder. */
export const chain = (first: Link = {}, closed: Link = {}, ...between: readonly Link[]): string => {
  const links = [open(first)]
  for (const link of [...between, closed]) {
    const isLast = link === closed
    const before = links.at(-1) ?? ''
    const hash = link.namesIssued
      ? { issuer_jwt_hash: digest(before.split('~')[0] ?? '') }
      : { sd_hash: digest(before) }
    const claims = { iat: NOW_S, aud: AUD, nonce: NONCE, ...hash }
    const body = { ...(isLast ? closedClaims() : openBody()), ...link.body }
    links.push(
      linkOf({ header: { typ: isLast ? 'kb+sd-jwt' : 'kb+sd-jwt+kb' }, by: holder, claims }, { ...link, body }),
    )
  }
  return links.map((link, i) => (i < links.length - 1 ? link.slice(0, -1) : link)).join('~~')
}

const openBody = () => ({
  vct: 'mandate.checkout.open.1',
  constraints: [CART],
  cnf,
  iat: NOW_S - 60,
  exp: NOW_S + 600,
})

const linkOf = (
  own: { header: object; by: Minter; claims: object },
  { header, by, claims, body, disclosures }: Link,
) => {
  const payload = { delegate_payload: [body], ...own.claims, ...claims }
  return compact(jws({ alg: 'ES256', ...own.header, ...header }, payload, by ?? own.by), disclosures)
}
